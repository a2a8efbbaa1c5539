/* public_models.c - tests the encodings, models and names of ctx.h */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "public_shared.h"

static void
encodings(void)
{
	static const char text[] = "hello world, hello libctx";
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_encoding *encoding;
	struct ctx_id_list list;
	struct ctx_bytes bytes;
	uint64_t tokens;
	size_t at;

	tap_case("an encoding counts, encodes, decodes and cuts");
	NEED(ctx_encoding_open(&encoding, "o200k_base", NULL, &error) == 0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") == 0);
	CHECK(ctx_encoding_count(encoding, "hello world", 11, &tokens, NULL) ==
	    0);
	CHECK(tokens == 2);
	CHECK(ctx_encoding_encode(encoding, text, strlen(text), &list, NULL) ==
	    0);
	CHECK(list.n > 4 && list.ids[0] == 24912);
	CHECK(
	    ctx_encoding_decode(encoding, list.ids, list.n, &bytes, NULL) == 0);
	CHECK(strcmp(bytes.data, text) == 0 && bytes.length == strlen(text));
	ctx_free(list.ids);
	ctx_free(bytes.data);
	CHECK(
	    ctx_encoding_head(encoding, text, strlen(text), 2, &at, NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, at, &tokens, NULL) == 0);
	CHECK(at >= 9 && tokens <= 2);
	CHECK(
	    ctx_encoding_tail(encoding, text, strlen(text), 1, &at, NULL) == 0);
	CHECK(at > 11);
	ctx_encoding_free(encoding);
	tap_case("an encoding that does not exist is an error");
	CHECK(ctx_encoding_open(&encoding, "no-such", NULL, &error) == -1);
	CHECK(encoding == NULL && error.kind == CTX_ERROR_ARGUMENT);
	tap_case("a model has its encoding; Claude's has no ids");
	NEED(ctx_encoding_open_model(&encoding, NULL, "claude-opus-4-7", NULL,
		 &error) == 0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") != 0);
	CHECK(ctx_encoding_count(encoding, text, strlen(text), &tokens, NULL) ==
		0 &&
	    tokens > 0);
	CHECK(ctx_encoding_encode(encoding, text, strlen(text), &list,
		  &error) == -1);
	CHECK(list.ids == NULL);
	ctx_encoding_free(encoding);
	ctx_encoding_free(NULL);
}

/* Runs in its own process, because the directory is set for a whole process. */
static void
missing_tables(void)
{
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_encoding *encoding;
	int status, rc;
	pid_t child;

	tap_case("a missing file with encodings is CTX_ERROR_SYSTEM");
	(void)fflush(stdout);
	child = fork();
	NEED(child >= 0);
	if (child == 0) {
		(void)ctx_set_data_directory("/nonexistent", NULL);
		rc = ctx_encoding_open(&encoding, "o200k_base", NULL, &error);
		/* With VOCAB=builtin, no file is needed, so opening
		 * succeeds. */
		_exit(rc == 0 ||
			    (error.kind == CTX_ERROR_SYSTEM &&
				error.system == ENOENT)
			? 0
			: 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Shortens a text for Gemini, whose counts are corrected by the characters of
 * the text. least: minimum number of tokens that must be kept. */
static void
check_corrected_cut(struct ctx_encoding *encoding, const char *once,
    uint64_t limit, uint64_t least)
{
	char text[4096] = "";
	uint64_t tokens;
	size_t i, at;

	for (i = 0; i < 60; i++)
		strcat(text, once);
	CHECK(ctx_encoding_head(encoding, text, strlen(text), limit, &at,
		  NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, at, &tokens, NULL) == 0);
	CHECK(tokens >= least && tokens <= limit);
	CHECK(ctx_encoding_tail(encoding, text, strlen(text), limit, &at,
		  NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text + at, strlen(text) - at,
		  &tokens, NULL) == 0);
	CHECK(tokens >= least && tokens <= limit);
}

static void
corrected_cuts(void)
{
	static const char *const kinds[] = {"6f1c94-0731, ", "12345\n",
	    "a_b_c ", "\n\n\n\n\n\n\n\n", "\xe6\xbc\xa2\xe5\xad\x97",
	    "\xf0\x9f\x98\x80 ", "two words "};
	struct ctx_encoding *encoding;
	size_t i, at;

	tap_case("a cut for Gemini fits, whatever the text consists of");
	NEED(ctx_encoding_open_model(&encoding, NULL, "gemini-2.5-pro", NULL,
		 NULL) == 0);
	for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		check_corrected_cut(encoding, kinds[i], 50, 30);
		check_corrected_cut(encoding, kinds[i], 20, 8);
		check_corrected_cut(encoding, kinds[i], 0, 0);
	}
	CHECK(ctx_encoding_head(encoding, "1 2 3", 5, UINT64_MAX, &at, NULL) ==
		0 &&
	    at == 5);
	CHECK(ctx_encoding_head(encoding, "", 0, 7, &at, NULL) == 0 && at == 0);
	ctx_encoding_free(encoding);
}

/* Tests counts for Gemini: those of o200k_base, multiplied by a factor. */
static void
scaled_counts(void)
{
	static const char text[] =
	    "One two three four five six seven eight nine ten eleven twelve "
	    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
	struct ctx_encoding *encoding;
	uint64_t tokens, part;
	size_t at;

	tap_case("limits and counts of a model are in tokens of the model");
	NEED(ctx_encoding_open(&encoding, "o200k_base", NULL, NULL) == 0);
	CHECK(
	    ctx_encoding_count(encoding, text, strlen(text), &part, NULL) == 0);
	ctx_encoding_free(encoding);
	NEED(ctx_encoding_open_model(&encoding, NULL, "gemini-2.5-pro", NULL,
		 NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, strlen(text), &tokens, NULL) ==
	    0);
	CHECK(tokens > part);
	CHECK(ctx_encoding_head(encoding, text, strlen(text), 20, &at, NULL) ==
	    0);
	CHECK(ctx_encoding_count(encoding, text, at, &part, NULL) == 0);
	CHECK(part > 15 && part <= 20);
	CHECK(ctx_encoding_tail(encoding, text, strlen(text), 20, &at, NULL) ==
	    0);
	CHECK(ctx_encoding_count(encoding, text + at, strlen(text) - at, &part,
		  NULL) == 0);
	CHECK(part > 15 && part <= 20);
	ctx_encoding_free(encoding);
	tap_case("an encoding without a name is an error");
	CHECK(ctx_encoding_open(&encoding, NULL, NULL, NULL) == -1);
	CHECK(ctx_encoding_open_model(&encoding, NULL, NULL, NULL, NULL) == -1);
}

static void
write_models(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	NEED(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
}

/* Writes a file with this text and reads it as models of the user.  Returns the
 * result of ctx_user_models_open. */
static int
open_models(struct ctx_user_models **models, const char *text,
    struct ctx_error *error)
{
	static char path[40];
	int fd, rc;

	strcpy(path, "/tmp/ctx-models-XXXXXX");
	fd = mkstemp(path);
	NEED(fd >= 0 && close(fd) == 0);
	write_models(path, text);
	rc = ctx_user_models_open(models, path, error);
	CHECK(rc == 0 || strcmp(error->file, path) == 0);
	NEED(unlink(path) == 0);
	return rc;
}

static void
user_models(void)
{
	struct ctx_count_options options = CTX_COUNT_OPTIONS_INIT;
	struct ctx_input_options model = CTX_INPUT_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_user_models *models;
	struct seen seen = {0};
	struct ctx_input *input;

	tap_case("models of the user count the messages of an input");
	NEED(open_models(&models,
		 "{\"mine\": {\"window\": 777, \"encoding\": \"gpt2\"}}\n",
		 &error) == 0);
	model.model = "mine";
	model.models = models;
	options.on_conversation = see_conversation;
	options.user = &seen;
	input = open_text(CALL, &model);
	CHECK(ctx_count(input, &options, &result, &error) == 0);
	CHECK(strcmp(seen.names, "openai-chat mine 777") == 0);
	ctx_input_free(input);
	ctx_user_models_free(models);
	ctx_user_models_free(NULL);
	tap_case("an error in a file with models has its place");
	CHECK(open_models(&models, "{\"mine\": {\"window\": 0}}\n", &error) ==
	    -1);
	CHECK(models == NULL && error.kind == CTX_ERROR_FILE);
	CHECK(strstr(error.text, "'window'") != NULL);
	CHECK(open_models(&models, "{\n\"mine\": {]}\n", &error) == -1);
	CHECK(error.kind == CTX_ERROR_FILE && error.line == 2);
	tap_case("a file with models must exist and have a name");
	CHECK(ctx_user_models_open(&models, "/nonexistent/models.json",
		  &error) == -1);
	CHECK(error.kind == CTX_ERROR_SYSTEM && error.system == ENOENT);
	CHECK(ctx_user_models_open(&models, NULL, &error) == -1);
	CHECK(models == NULL && error.kind == CTX_ERROR_ARGUMENT);
}

static void
user_model_lookups(void)
{
	struct ctx_model_info model = CTX_MODEL_INFO_INIT;
	struct ctx_price_info price = CTX_PRICE_INFO_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_user_models *models;
	struct ctx_encoding *encoding;
	uint64_t tokens;

	tap_case("models of the user are listed and looked up by name");
	NEED(open_models(&models,
		 "{\"mine\": {\"window\": 777, \"encoding\": \"gpt2\", "
		 "\"price\": [2, 8]}, \"gpt-4o\": {\"window\": 999}}\n",
		 &error) == 0);
	CHECK(strcmp(ctx_user_models_name(models, 0), "mine") == 0);
	CHECK(strcmp(ctx_user_models_name(models, 1), "gpt-4o") == 0);
	CHECK(ctx_user_models_name(models, 2) == NULL);
	CHECK(ctx_model_lookup(models, "mine-2026-01-01", &model, NULL) == 1);
	CHECK(strcmp(model.name, "mine") == 0 && model.window == 777);
	CHECK(strcmp(model.encoding, "gpt2") == 0);
	CHECK(ctx_model_lookup(models, "openai/gpt-4o", &model, NULL) == 1);
	CHECK(model.window == 999);
	CHECK(ctx_model_lookup(models, "nobodys-model", &model, NULL) == 0);
	tap_case("models of the user have prices");
	CHECK(ctx_model_prices(models, "mine", 1760000000, 10, &price, NULL) ==
	    1);
	CHECK(price.input == 2000000 && price.output == 8000000);
	CHECK(price.cache_read == CTX_NONE);
	CHECK(
	    ctx_model_prices(NULL, "mine", 1760000000, 10, &price, NULL) == 0);
	tap_case("the encoding of a model of the user is opened");
	NEED(ctx_encoding_open_model(&encoding, models, "mine", NULL, &error) ==
	    0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") == 0);
	CHECK(ctx_encoding_count(encoding, "hello world", 11, &tokens, NULL) ==
		0 &&
	    tokens == 2);
	ctx_encoding_free(encoding);
	ctx_user_models_free(models);
}

static void
names(void)
{
	static const char *(*const lists[])(size_t i) = {ctx_dialect_name,
	    ctx_strategy_name, ctx_encoding_name, ctx_model_name,
	    ctx_provider_name, ctx_rule_name};
	struct ctx_model_info model = CTX_MODEL_INFO_INIT;
	struct ctx_price_info price = CTX_PRICE_INFO_INIT;
	size_t i, k;

	tap_case("the lists of names end");
	CHECK(strcmp(ctx_version(), CTX_VERSION) == 0);
	for (i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		for (k = 0; lists[i](k) != NULL; k++)
			CHECK(lists[i](k)[0] != '\0');
		CHECK(k > 2);
	}
	tap_case("models are looked up by the names of providers");
	CHECK(ctx_model_lookup(NULL, "openai/gpt-4o-2024-08-06", &model,
		  NULL) == 1);
	CHECK(strcmp(model.name, "gpt-4o") == 0 && model.window == 128000);
	CHECK(ctx_model_prices(NULL, "gpt-4o", 1760000000, 1000, &price,
		  NULL) == 1);
	CHECK(price.input == 2500000 && price.output == 10000000);
	CHECK(ctx_model_lookup(NULL, "nobodys-model", &model, NULL) == 0);
	CHECK(model.window == 32000);
	CHECK(ctx_model_lookup(NULL, NULL, &model, NULL) == -1);
}

int
main(void)
{
	missing_tables();
	encodings();
	scaled_counts();
	corrected_cuts();
	user_models();
	user_model_lookups();
	names();
	return tap_done();
}
