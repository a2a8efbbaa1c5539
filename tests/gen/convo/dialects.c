/*
 * dialects.c - writes the events of a conversation as each provider writes them
 */
#include <string.h>

#include "gen.h"

enum { MAX_PARTS = 16 };

/* ---- OpenAI chat completions --------------------------------------------- */

static const char *
chat_text(struct gen *g)
{
	if (!once_in(g, 4))
		return said(g);
	return json(g, "[{type:'text',text:%t}, ?2 {type:'text',text:%t}]");
}

static void
chat_system(struct gen *g)
{
	const char *role = once_in(g, 3) ? "developer" : "system";
	const char *content = chat_text(g);

	say(g, "{role:%s, content:%v, ?9 name:'ops'}", role, content);
}

static const char *
chat_media(struct gen *g)
{
	static const char url[] = "\"https:\\/\\/example.org\\/a.png\"";

	switch (below(g, 4)) {
	case 0:
		return json(g,
		    "{type:'image_url', image_url:{url:%v,"
		    " ?2 detail:'low'}}",
		    png(g));
	case 1:
		return json(g, "{type:'image_url', image_url:{url:%v}}", url);
	case 2:
		return json(g,
		    "{type:'input_audio', input_audio:{data:%b,"
		    " format:'wav'}}");
	default:
		return json(g, "{type:'file', file:{file_id:'file-7'}}");
	}
}

static void
chat_user(struct gen *g)
{
	const char *content = chat_text(g);

	if (once_in(g, 8))
		content = json(g, "[{type:'text',text:%t}, %v]", chat_media(g));
	say(g, "{role:'user', content:%v, ?6 name:'lea', ?8 x_trace:%u}",
	    content);
}

static const char *
chat_calls(struct gen *g, struct call *call, size_t n)
{
	const char *item[MAX_CALLS];
	size_t i;

	for (i = 0; i < n; i++) {
		call[i].custom = once_in(g, 12);
		item[i] = call[i].custom
		    ? json(g,
			  "{id:%s, type:'custom', custom:{name:%s, "
			  "input:%t}}",
			  call[i].id, call[i].name)
		    : json(g,
			  "{id:%s, type:'function',"
			  " function:{name:%s, arguments:%s}}",
			  call[i].id, call[i].name, call[i].args);
	}
	return enclose(g, '[', item, n);
}

/* Returns a text, or another value, that may be beside tool calls. */
static const char *
chat_aside(struct gen *g)
{
	switch (below(g, 8)) {
	case 0:
		return "\"\"";
	case 1:
		return NULL;
	case 2:
	case 3:
		return chat_text(g);
	default:
		return "null";
	}
}

static void
chat_assistant(struct gen *g, struct call *call, size_t n)
{
	const char *old = NULL, *calls = NULL, *content;

	content = n > 0 ? chat_aside(g) : chat_text(g);
	if (n == 1 && once_in(g, 20)) {
		call[0].legacy = true;
		old = json(g, "{name:%s, arguments:%s}", call[0].name,
		    call[0].args);
	} else if (n > 0) {
		calls = chat_calls(g, call, n);
	}
	say(g,
	    "{role:'assistant', content:%v, ?6 reasoning_content:%t,"
	    " ?12 reasoning:%t, ?9 reasoning_details:"
	    "[{type:'reasoning.encrypted',data:%b}], tool_calls:%v,"
	    " function_call:%v, ?9 refusal:null, ?8 x_trace:%u}",
	    content, calls, old);
}

static void
chat_results(struct gen *g, struct call *call, size_t n)
{
	const char *content;
	size_t i;

	for (i = 0; i < n; i++) {
		content = once_in(g, 15) ? "\"\"" : chat_text(g);
		if (call[i].legacy)
			say(g, "{role:'function', name:%s, content:%t}",
			    call[i].name);
		else
			say(g,
			    "{role:'tool', tool_call_id:%s,"
			    " content:%v, ?6 name:%s, ?8 x_trace:%u}",
			    call[i].id, content, call[i].name);
	}
}

static const char *
chat_wrap(struct gen *g, const char *messages)
{
	if (once_in(g, 2))
		return json(g,
		    "{messages:%v, ?2 parallel_tool_calls:true,"
		    " ?2 tools:[{type:'function',"
		    "function:{name:'run'}}]}",
		    messages);
	return json(g,
	    "{custom_id:%s, method:'POST', url:'/v1/chat/completions',"
	    " body:{model:'gpt-5-mini', messages:%v}}",
	    new_id(g, "r"), messages);
}

/* ---- role and content, nothing else -------------------------------------- */

static void
generic_system(struct gen *g)
{
	say(g, "{role:'system', content:%t}");
}

static void
generic_user(struct gen *g)
{
	say(g, "{role:'user', content:%t}");
}

static void
generic_assistant(struct gen *g, struct call *call, size_t n)
{
	(void)call;
	(void)n;
	say(g, "{role:'assistant', content:%t}");
}

static const char *
generic_wrap(struct gen *g, const char *messages)
{
	return json(g, "{messages:%v}", messages);
}

/* ---- OpenAI responses ---------------------------------------------------- */

static void
responses_message(struct gen *g, const char *role)
{
	if (once_in(g, 2))
		say(g, "{role:%s, content:%t, ?3 type:'message'}", role);
	else
		say(g,
		    "{type:'message', role:%s, content:["
		    "{type:'input_text',text:%t}, ?5 {type:'input_image',"
		    "detail:'auto',image_url:%v}], ?8 x_trace:%u}",
		    role, png(g));
}

static void
responses_user(struct gen *g)
{
	responses_message(g, "user");
}

static void
responses_system(struct gen *g)
{
	responses_message(g, "developer");
}

static void
responses_reasoning(struct gen *g)
{
	say(g,
	    "{type:'reasoning', id:%s, summary:["
	    "?2 {type:'summary_text',text:%t}], encrypted_content:%b}",
	    new_id(g, "rs_"));
}

static void
responses_answer(struct gen *g, const char *phase)
{
	say(g,
	    "{type:'message', id:%s, role:'assistant',"
	    " status:'completed', content:[{type:'output_text',"
	    "text:%t,annotations:[]}], ?2 phase:%s}",
	    new_id(g, "msg_"), phase);
}

static void
responses_call(struct gen *g, struct call *call)
{
	call->custom = once_in(g, 8);
	if (call->custom)
		say(g,
		    "{type:'custom_tool_call', call_id:%s, name:%s,"
		    " input:%t}",
		    call->id, call->name);
	else
		say(g,
		    "{type:'function_call', ?2 id:%s, call_id:%s,"
		    " name:%s, arguments:%s, ?8 x_trace:%u}",
		    new_id(g, "fc_"), call->id, call->name, call->args);
}

static void
responses_assistant(struct gen *g, struct call *call, size_t n)
{
	size_t i;

	if (once_in(g, 2))
		responses_reasoning(g);
	if (once_in(g, 9))
		say(g,
		    "{type:'web_search_call', id:%s,"
		    " status:'completed', action:{type:'search'}}",
		    new_id(g, "ws_"));
	if (n == 0 || once_in(g, 4))
		responses_answer(g, n == 0 ? "final_answer" : "commentary");
	for (i = 0; i < n; i++) {
		if (i > 0 && once_in(g, 6))
			responses_reasoning(g);
		responses_call(g, &call[i]);
	}
}

static void
responses_results(struct gen *g, struct call *call, size_t n)
{
	const char *type, *output, *item;
	size_t i;

	for (i = 0; i < n; i++) {
		type = call[i].custom ? "custom_tool_call_output"
				      : "function_call_output";
		output = once_in(g, 5)
		    ? json(g, "[{type:'input_text',text:%t}]")
		    : said(g);
		item = json(g, "{type:%s, call_id:%s, output:%v}", type,
		    call[i].id, output);
		if (once_in(g, 6) && !g->same_ids)
			add(&g->late, item);
		else
			say(g, "%v", item);
	}
}

static const char *
responses_wrap(struct gen *g, const char *input)
{
	return json(g, "{model:'gpt-5.6-luna', ?2 instructions:%t, input:%v}",
	    input);
}

/* ---- Anthropic messages -------------------------------------------------- */

static const char *
anthropic_media(struct gen *g)
{
	static const char url[] = "https://example.org/b.pdf";

	if (once_in(g, 2))
		return json(g, "{type:'document', source:{type:'url', url:%s}}",
		    url);
	return json(g,
	    "{type:'image', source:{type:'base64',"
	    " media_type:'image/png', data:%b}}");
}

static const char *
anthropic_text(struct gen *g)
{
	return json(g,
	    "{type:'text', text:%t, ?12 cache_control:"
	    "{type:'ephemeral', ?2 ttl:'5m'}}");
}

static void
anthropic_user(struct gen *g)
{
	const char *part[2], *content = said(g);

	if (once_in(g, 2)) {
		part[0] = anthropic_text(g);
		part[1] = anthropic_media(g);
		content = enclose(g, '[', part, once_in(g, 2) ? 2 : 1);
	}
	say(g, "{role:'user', content:%v, ?8 x_trace:%u}", content);
}

static void
anthropic_aside(struct gen *g)
{
	say(g, "{role:'system', content:%t}");
}

static const char *
thinking(struct gen *g)
{
	switch (below(g, 5)) {
	case 0:
		return json(g, "{type:'redacted_thinking', data:%b}");
	case 1:
		return json(g, "{type:'thinking', thinking:'', signature:%b}");
	default:
		return json(g, "{type:'thinking', thinking:%t, signature:%b}");
	}
}

/* Writes a tool that the provider runs: call and result in one message. */
static size_t
server_tool(struct gen *g, const char **part)
{
	const char *id = new_id(g, "srvtoolu_");

	part[0] = json(g,
	    "{type:'server_tool_use', id:%s, name:'web_search',"
	    " input:{query:%t}}",
	    id);
	part[1] = json(g,
	    "{type:'web_search_tool_result', tool_use_id:%s,"
	    " content:[]}",
	    id);
	return 2;
}

/* If asked for, writes more reasoning between other blocks. */
static size_t
more_thinking(struct gen *g, const char **part)
{
	if (!g->thinks || once_in(g, 2))
		return 0;
	part[0] = thinking(g);
	return 1;
}

static void
anthropic_assistant(struct gen *g, struct call *call, size_t n)
{
	const char *part[2 * MAX_PARTS], *content;
	size_t parts = 0, i;

	if (once_in(g, 3))
		part[parts++] = thinking(g);
	if (once_in(g, 10))
		parts += server_tool(g, part + parts);
	parts += more_thinking(g, part + parts);
	if (n == 0 || once_in(g, 2))
		part[parts++] = anthropic_text(g);
	for (i = 0; i < n; i++) {
		parts += more_thinking(g, part + parts);
		part[parts++] = json(g,
		    "{type:'tool_use', id:%s, name:%s,"
		    " input:%v}",
		    call[i].id, call[i].name, call[i].args);
	}
	content = enclose(g, '[', part, parts);
	if (n == 0 && once_in(g, 3))
		content = said(g);
	say(g, "{role:'assistant', content:%v, ?8 x_trace:%u}", content);
}

static const char *
anthropic_result(struct gen *g, const struct call *call)
{
	const char *content = said(g);

	/* The content of a failed result may only be text. */
	if (once_in(g, 3))
		return json(g,
		    "{type:'tool_result', tool_use_id:%s,"
		    " content:[{type:'text',text:%t}, ?2 %v]}",
		    call->id, anthropic_media(g));
	/* Only a result that succeeded may lack content. */
	if (once_in(g, 12))
		return json(g, "{type:'tool_result', tool_use_id:%s}",
		    call->id);
	return json(g,
	    "{type:'tool_result', tool_use_id:%s, content:%v,"
	    " ?6 is_error:true}",
	    call->id, content);
}

static void
anthropic_results(struct gen *g, struct call *call, size_t n)
{
	const char *part[MAX_CALLS + 1], *content;
	size_t i;

	for (i = 0; i < n; i++)
		part[i] = anthropic_result(g, &call[i]);
	if (once_in(g, 5))
		part[i++] = anthropic_text(g);
	content = enclose(g, '[', part, i);
	say(g, "{role:'user', content:%v}", content);
}

static const char *
anthropic_wrap(struct gen *g, const char *messages)
{
	const char *request;

	/* Of the known models none accepts both a last message of the assistant
	 * and system messages between others. */
	request = json(g,
	    "{model:'m', max_tokens:1024,"
	    " ?2 system:%t, messages:%v}",
	    messages);
	if (once_in(g, 2))
		return request;
	return json(g, "{custom_id:%s, params:%v}", new_id(g, "r"), request);
}

/* ---- Bedrock Converse ---------------------------------------------------- */

static void
bedrock_user(struct gen *g)
{
	say(g,
	    "{role:'user', content:[{text:%t},"
	    " ?5 {image:{format:'png',source:{bytes:%b}}},"
	    " ?5 {cachePoint:{type:'default'}}]}");
}

static const char *
bedrock_reasoning(struct gen *g)
{
	if (once_in(g, 4))
		return json(g, "{reasoningContent:{redactedContent:%b}}");
	return json(g,
	    "{reasoningContent:{reasoningText:{text:%t,"
	    " signature:%b}}}");
}

static void
bedrock_assistant(struct gen *g, struct call *call, size_t n)
{
	const char *part[2 * MAX_PARTS], *content;
	size_t parts = 0, i;

	if (once_in(g, 3))
		part[parts++] = bedrock_reasoning(g);
	if (n == 0 || once_in(g, 2))
		part[parts++] = json(g, "{text:%t}");
	if (g->thinks && once_in(g, 2))
		part[parts++] = bedrock_reasoning(g);
	for (i = 0; i < n; i++)
		part[parts++] = json(g,
		    "{toolUse:{toolUseId:%s, name:%s,"
		    " input:%v}}",
		    call[i].id, call[i].name, call[i].args);
	content = enclose(g, '[', part, parts);
	say(g, "{role:'assistant', content:%v}", content);
}

static void
bedrock_results(struct gen *g, struct call *call, size_t n)
{
	const char *part[MAX_CALLS + 1], *content;
	size_t i;

	for (i = 0; i < n; i++) {
		content = once_in(g, 4) ? json(g, "[{json:%v}]", arguments(g))
					: json(g, "[{text:%t}]");
		part[i] = json(g,
		    "{toolResult:{toolUseId:%s, content:%v,"
		    " ?3 status:'success'}}",
		    call[i].id, content);
	}
	if (once_in(g, 5))
		part[i++] = json(g, "{text:%t}");
	content = enclose(g, '[', part, i);
	say(g, "{role:'user', content:%v}", content);
}

static const char *
bedrock_wrap(struct gen *g, const char *messages)
{
	const char *request;

	request = json(g,
	    "{?2 system:[{text:%t}], messages:%v,"
	    " inferenceConfig:{maxTokens:512}, toolConfig:{tools:["
	    "{toolSpec:{name:'f',inputSchema:{json:{type:'object'}}}}]}}",
	    messages);
	if (once_in(g, 2))
		return request;
	return json(g, "{recordId:%s, modelInput:%v}", new_id(g, "r"), request);
}

/* ---- Gemini contents ----------------------------------------------------- */

/* Returns the pattern with snake_case or the pattern with camelCase. */
static const char *
gemini_form(const struct gen *g, const char *camel, const char *snake)
{
	return g->snake ? snake : camel;
}

static const char *
gemini_signature(struct gen *g)
{
	return g->is_signed ? base64(g) : NULL;
}

static void
gemini_user(struct gen *g)
{
	say(g,
	    gemini_form(g,
		"{role:'user', parts:[{text:%t},"
		" ?5 {inlineData:{mimeType:'image/png',data:%b}}]}",
		"{role:'user', parts:[{text:%t},"
		" ?5 {inline_data:{mime_type:'image/png',data:%b}}]}"));
}

static const char *
gemini_call(struct gen *g, const struct call *call, const char *signature)
{
	return json(g,
	    gemini_form(g,
		"{functionCall:{name:%s, args:%v, id:%s}, thoughtSignature:%v}",
		"{function_call:{name:%s, args:%v, id:%s}, "
		"thought_signature:%v}"),
	    call->name, call->args, g->with_ids ? call->id : NULL, signature);
}

static void
gemini_assistant(struct gen *g, struct call *call, size_t n)
{
	const char *part[MAX_PARTS], *parts_text;
	size_t parts = 0, i;

	if (once_in(g, 4))
		part[parts++] = json(g, "{text:%t, thought:true}");
	if (n == 0)
		part[parts++] = json(g,
		    gemini_form(g, "{text:%t, thoughtSignature:%v}",
			"{text:%t, thought_signature:%v}"),
		    gemini_signature(g));
	else if (once_in(g, 3))
		part[parts++] = json(g, "{text:%t}");
	/* Of parallel calls only the first one is signed. */
	for (i = 0; i < n; i++)
		part[parts++] = gemini_call(g, &call[i],
		    i == 0 ? gemini_signature(g) : NULL);
	parts_text = enclose(g, '[', part, parts);
	say(g, "{role:'model', parts:%v}", parts_text);
}

static const char *
gemini_result(struct gen *g, const struct call *call, const char *more)
{
	const char *response =
	    json(g, once_in(g, 6) ? "{error:%t}" : "{output:%t}");

	return json(g,
	    gemini_form(g,
		"{functionResponse:{name:%s, response:%v, id:%s,"
		" willContinue:%v}}",
		"{function_response:{name:%s, response:%v, id:%s,"
		" will_continue:%v}}"),
	    call->name, response, g->with_ids ? call->id : NULL, more);
}

/* Writes the last result of a call with several results, after other
 * messages. */
static void
gemini_late(struct gen *g, const struct call *call)
{
	const char *part = gemini_result(g, call, NULL), *said;

	said = json(g, "{role:'model', parts:%v}",
	    enclose(g, '[', (const char *[]){json(g, "{text:%t}")}, 1));
	add(&g->late, said);
	add(&g->late,
	    json(g, "{role:'user', parts:%v}", enclose(g, '[', &part, 1)));
}

static void
gemini_results(struct gen *g, struct call *call, size_t n)
{
	const char *part[MAX_CALLS + 1], *parts, *role = "user";
	bool more;
	size_t i;

	for (i = 0; i < n; i++) {
		more = g->with_ids && !g->same_ids && once_in(g, 9);
		part[i] = gemini_result(g, &call[i], more ? "true" : NULL);
		if (more)
			gemini_late(g, &call[i]);
	}
	if (once_in(g, 5))
		part[i++] = json(g, "{text:%t}");
	else if (once_in(g, 9))
		role = "function";
	parts = enclose(g, '[', part, i);
	say(g, "{role:%s, parts:%v}", role, parts);
}

static const char *
gemini_wrap(struct gen *g, const char *contents)
{
	const char *request;

	request = json(g,
	    gemini_form(g,
		"{?2 systemInstruction:{parts:[{text:%t}]}, contents:%v}",
		"{?2 system_instruction:{parts:[{text:%t}]}, contents:%v}"),
	    contents);
	if (once_in(g, 2))
		return request;
	return json(g, "{key:%s, request:%v}", new_id(g, "r"), request);
}

const struct dialect dialects[] = {
    {"openai-chat", 3, true, false, chat_system, chat_system, chat_user,
	chat_assistant, chat_results, chat_wrap},
    {"generic", 3, false, false, generic_system, generic_system, generic_user,
	generic_assistant, NULL, generic_wrap},
    {"openai-responses", 3, true, false, responses_system, responses_system,
	responses_user, responses_assistant, responses_results, responses_wrap},
    {"anthropic", 3, false, true, NULL, anthropic_aside, anthropic_user,
	anthropic_assistant, anthropic_results, anthropic_wrap},
    {"bedrock", 1, false, false, NULL, NULL, bedrock_user, bedrock_assistant,
	bedrock_results, bedrock_wrap},
    {"gemini", 1, false, false, NULL, NULL, gemini_user, gemini_assistant,
	gemini_results, gemini_wrap},
    {0},
};
