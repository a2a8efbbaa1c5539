/* session_line.h - what a line of an agent's session file does to the messages
 * that the agent sends */
#ifndef CTX_DIALECT_SESSION_LINE_H
#define CTX_DIALECT_SESSION_LINE_H

#include "base/base.h"

/* Kinds of session files.  The kinds differ in how the agent computes its
 * context (the messages that it sends) from the lines of the file.  Not all
 * lines are in the context: a later line can remove or replace earlier lines,
 * or begin a new branch. */
enum ctx_history {
	/* not a session file: all messages are in the context */
	CTX_HISTORY_NONE,
	/* a log: a line may remove or replace lines before it in the context */
	CTX_HISTORY_LOG,
	/* A tree, in which a line contains the id of its parent line: the
	 * context is the path from the root (a line without a parent) to the
	 * last line of the file. */
	CTX_HISTORY_LAST,
	/* A tree as for CTX_HISTORY_LAST: the context is the path from the root
	 * to the last message of the branch that has the latest message. */
	CTX_HISTORY_TIP,
};

/* Effect of a line of a session file on the context, which is the messages that
 * the agent sends to the model. */
enum ctx_line_kind {
	/* The line does not change the context.  It is a header, an event or a
	 * snapshot. */
	CTX_LINE_ASIDE,
	/* The line does not change the context, but it is in the tree of lines:
	 * it may be the parent of other lines. */
	CTX_LINE_LINK,
	/* The line is a message that the agent inserts between others: a
	 * reminder, or what the user typed while the agent worked.  The agent
	 * sends the branch of the tree with the newest message; for this
	 * choice, but for nothing else, lines of this kind do not count. */
	CTX_LINE_ATTACHMENT,
	/* The line is a message.  In a log, it replaces an earlier line with
	 * the same id. */
	CTX_LINE_MESSAGE,
	/* The line is a summary that replaces all lines before it.  If the
	 * summary contains the id of another line, it replaces only the lines
	 * before that line. */
	CTX_LINE_SUMMARY,
	/* The line is a summary that replaces all earlier lines except user
	 * messages. */
	CTX_LINE_DIGEST,
	/* The line removes from the context the message whose id it contains,
	 * and all lines after that message.  If no message has this id, the
	 * line removes all lines before it. */
	CTX_LINE_REWIND,
	/* The line contains a number n, and removes the newest n turns. */
	CTX_LINE_ROLLBACK,
};

enum {
	/* The line begins a turn, which CTX_LINE_ROLLBACK can remove. */
	CTX_LINE_USER = 1,
	/* The line is a text that the agent inserts before a turn.  A
	 * CTX_LINE_ROLLBACK that removes the turn also removes this line. */
	CTX_LINE_CONTEXT = 2,
	/* The line contains results for tool calls of its parent. */
	CTX_LINE_RESULT = 4,
	/* The line belongs to a subagent.  Such a line is in the context only
	 * if the branch that the agent sends ends with a line of a subagent, as
	 * in the session file of a subagent. */
	CTX_LINE_SIDE = 8,
	/* A branch whose last message is this line is sent only if the last
	 * message of every branch belongs to a subagent or has this flag. */
	CTX_LINE_META = 16,
	/* The model wrote the line.  Lines of the model that directly follow
	 * each other are one response. */
	CTX_LINE_ANSWER = 32,
	/* The line is the message of a log that asks for a summary.  The line
	 * with the summary contains the id of this line. */
	CTX_LINE_ASKS = 64,
	/* The line says that the agent was ended, or started again. */
	CTX_LINE_RESTART = 128,
};

/* A setting of the model's thinking.  Greater numbers than CTX_THINKING_ON are
 * higher levels of thinking. */
enum ctx_thinking { CTX_THINKING_UNKNOWN, CTX_THINKING_OFF, CTX_THINKING_ON };

/* Where a line of a session file belongs in the session, as the line itself
 * says.  Members of type uint32_t are JSON nodes of the line; 0 means that the
 * line does not have this value. */
struct ctx_line_place {
	enum ctx_line_kind kind;
	unsigned flags;
	uint32_t id;     /* id of the line */
	uint32_t parent; /* id of the line's parent in the tree of lines */
	/* key of the member with the id of the parent, even if this line lacks
	 * the member; NULL if lines of this format have no parent */
	const char *parent_key;
	/* Id of another line, not the parent, to which this line refers.  If
	 * ctx removes that line, it writes the id of a kept line instead. */
	uint32_t about;
	/* id of the message, which is the same in all its lines; only for
	 * agents that write one message as several lines */
	uint32_t same;
	uint32_t model; /* name of the model that is used from this line on */
	/* setting of thinking (enum ctx_thinking), or 0 if not changed here */
	unsigned thinking;
	/* number of turns that a line of the kind CTX_LINE_ROLLBACK removes */
	uint64_t turns;
	/* true if the line is only reasoning, and the agent does not send
	 * messages that are only reasoning */
	bool only_reasoning;
};

#endif
