/* error.c - fills struct ctx_err, which describes an error */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static void fill_error(struct ctx_err *err, enum ctx_code code, int sys,
    const char *fmt, va_list ap) CTX_FORMAT(4, 0);

static void
fill_error(struct ctx_err *err, enum ctx_code code, int sys, const char *fmt,
    va_list ap)
{
	memset(err, 0, sizeof *err);
	err->code = code;
	err->sys = sys;
	(void)vsnprintf(err->text, sizeof err->text, fmt, ap);
}

int
ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill_error(err, code, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int
ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
{
	char cause[sizeof err->text / 2];
	size_t used, most;
	va_list ap;

	va_start(ap, fmt);
	fill_error(err, CTX_ESYS, sys, fmt, ap);
	va_end(ap);
	(void)snprintf(cause, sizeof cause, ": %s", strerror(sys));
	/* Shortens a long text, so that the system's error message fits after
	 * it. */
	used = strlen(err->text);
	most = sizeof err->text - 1 - strlen(cause);
	if (used > most) {
		used = most;
		memcpy(err->text + used - 3, "...", 3);
	}
	memcpy(err->text + used, cause, strlen(cause) + 1);
	return -1;
}

int
ctx_err_read(struct ctx_err *err, int sys)
{
	size_t n;

	ctx_err_sys(err, sys, "cannot read");
	n = strlen(err->text);
	if (sys == EISDIR)
		(void)snprintf(err->text + n, sizeof err->text - n,
		    "; name a file in it");
	return -1;
}

int
ctx_err_nomem(struct ctx_err *err)
{
	return ctx_err_set(err, CTX_ENOMEM, "out of memory");
}
