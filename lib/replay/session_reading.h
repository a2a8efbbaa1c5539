/* session_reading.h - the state of ctx_replay_read while it reads a stream of
 * sessions */
#ifndef CTX_REPLAY_SESSION_READING_H
#define CTX_REPLAY_SESSION_READING_H

#include "replay/recorded_session.h"
#include "stream/stream.h"

/* State of ctx_replay_read while it reads a stream of sessions. */
struct session_reading {
	struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	ctx_replay_take *take;
	void *user;
	bool keeps_messages;
	/* lines: the session whose messages are lines of their own. record: the
	 * session that is inside the current line. */
	struct open_session {
		struct ctx_replay_session session;
		/* model that is assumed for the next response, unless the
		 * response names another model */
		const struct ctx_model *model;
		bool begun;
		/* True if the newest message is a part of a response, and the
		 * next message may be another part. */
		bool answers;
		/* Times in milliseconds since 1970; INT64_MIN if not known.
		 * time: latest timestamp of all messages so far. answer_time:
		 * timestamp of the newest message. */
		int64_t time, answer_time;
		/* Settings of the model's thinking (enum ctx_thinking).
		 * thinking: since the last message of the user, for the
		 * requests from the index thinking_from on. next_thinking:
		 * after the next message of the user; CTX_THINKING_UNKNOWN if
		 * the same. thinks: true if any line has switched thinking
		 * on. */
		unsigned thinking, next_thinking;
		size_t thinking_from;
		bool thinks;
		/* true if the agent was ended or started since the last
		 * request */
		bool restarts;
		/* true if the newest message that is not a response is from the
		 * user */
		bool asks;
		/* False if a report of billed tokens would belong to the newest
		 * request: none was reported since its response began, and the
		 * messages after its response are tool results. */
		bool is_reported;
		/* Billed tokens that were reported before the response to which
		 * they belong. */
		struct ctx_billed_usage waiting;
		/* number of input tokens in the last line that reported billed
		 * tokens */
		uint64_t last_report;
	} lines, record;
	/* For each id of a message in the session file: index of the request to
	 * which this message is a response, plus 1; 0 if there is none. */
	uint32_t *request_of_id;
	size_t ids_cap;
	struct ctx_hashkey key;
	struct ctx_buf text, literal;
};

/* ---- session_requests.c ---- */

/* Finds the request to which a message is a response.  If the message is the
 * first one of its response, adds a request.  Sets *number to the index of the
 * request, plus 1. */
int ctx_replay_find_request(struct session_reading *reading,
    struct open_session *open, const struct ctx_event *event, uint32_t *number,
    struct ctx_err *err);
/* Handles a line that may change the setting of the model's thinking, or may
 * say that the agent was started again. */
void ctx_replay_note_line(struct open_session *open,
    const struct ctx_line_place *place);
/* Handles a message of the user.  Requests after it have the setting of
 * thinking that the last line read so far with such a setting has. */
void ctx_replay_note_prompt(struct open_session *open);
/* Handles a response that contains reasoning: thinking was on, even if no line
 * says so. */
void ctx_replay_note_reasoning(struct open_session *open);
/* If a message reports how many tokens were billed for its request, stores
 * these numbers in *request.  If several lines of a response report them, the
 * numbers of the last line are used. */
void ctx_replay_note_usage(struct replay_request *request,
    const struct ctx_event *event);
/* Handles a line of a session file that is not a message but reports billed
 * tokens.  The tokens belong to the newest response if none were reported for
 * it, and only tool results follow it; otherwise to the next response.  A
 * repeated report is ignored. */
void ctx_replay_note_report(struct open_session *open,
    const struct ctx_event *event, const struct ctx_dialect *row);

#endif
