/* err.c - what went wrong, and where */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctx.h"

static void fill(struct ctx_err *err, enum ctx_code code, int sys,
    const char *fmt, va_list ap) CTX_FORMAT(4, 0);

static void
fill(struct ctx_err *err, enum ctx_code code, int sys, const char *fmt,
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
	fill(err, code, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int
ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	fill(err, CTX_ESYS, sys, fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof err->text - used, ": %s",
	    strerror(sys));
	return -1;
}

int
ctx_err_nomem(struct ctx_err *err)
{
	return ctx_err_set(err, CTX_ENOMEM, "out of memory");
}
