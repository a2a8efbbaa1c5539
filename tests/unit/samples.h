/*
 * samples.h - valid and invalid JSON texts
 *
 * Texts that follow and texts that break each rule of RFC 8259 and of UTF-8.
 * If a letter comes after a hexadecimal escape of C, the literal is split,
 * because C would read the letter as a part of the escape.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stddef.h>

struct sample {
	const char *text;
	size_t n;
	const char *error; /* only for invalid texts */
	unsigned column;   /* column of the error, from 1 */
};

#define S(s)                             \
	{                                \
		s, sizeof s - 1, NULL, 0 \
	}
#define W(column, error, s)                    \
	{                                      \
		s, sizeof s - 1, error, column \
	}

#define LONG_KEY "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

/* Texts that are exactly one value. */
/* clang-format off */
static const struct sample whole[] = {
    S("[]"), S("[[]   ]"), S("[\"\"]"), S("[\"a\"]"), S("[false]"),
    S("[null, 1, \"1\", {}]"), S("[1,null,null,null,2]"), S("[true]"),
    S(" [1]"), S("\t\r\n [ \t\r\n1\t\r\n ,\t\r\n 2 ]"), S("[[[[]]],[[]]]"),
    S("{}"), S("{ }"), S("{\"asd\":\"sdf\"}"), S("{\"a\":[]}"),
    S("{\"asd\":\"sdf\", \"dfg\":\"fgh\"}"), S("{\"\":0}"),
    S("{\"a\":\"b\",\"a\":\"c\"}"), S("{\"a\":\"b\",\"a\":\"b\"}"),
    S("{\"foo\\u0000bar\": 42}"), S("{\n\"a\"\n:\n\"b\"\n}"),
    S("{ \"min\": -1.0e+28, \"max\": 1.0e+28 }"),
    S("{\"a\":{\"b\":[{\"c\":null}]},\"d\":[[],{}]}"),
    S("{\"x\":[{\"id\": \"" LONG_KEY "\"}], \"" LONG_KEY "\": \"\"}"),
    /* numbers */
    S("[123]"), S("[-123]"), S("[-1]"), S("[-0]"), S("[0]"), S("[ 4]"),
    S("[-0.0]"), S("[123.456789]"), S("[123e65]"), S("[0e+1]"), S("[0e1]"),
    S("[20e1]"), S("[1E22]"), S("[1E-2]"), S("[1E+2]"), S("[1e-2]"),
    S("[123.456e78]"), S("[0.10]"), S("[1.10,0.1,1e5,1E2]"),
    S("[-0.0000000000000000000000000000000000000000000000000000000001]"),
    S("[1e400]"), S("[-1e400]"), S("[1e-400]"), S("[0.4e006699999999]"),
    S("[123456789012345678901234567890]"), S("[-99999999999999999999]"),
    S("[18446744073709551616]"), S("[1.0e0000000000000000000000000001]"),
    /* strings */
    S("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"), S("[\"\\u0060\\u012a\\u12AB\"]"),
    S("[\"\\uD801\\udc37\"]"), S("[\"\\ud83d\\ude39\\ud83d\\udc8d\"]"),
    S("[\"\\\\u0000\"]"), S("[\"\\\"\"]"), S("[\"a/*b*/c/*d//e\"]"),
    S("[\"\\\\a\"]"), S("[\"\\\\\\\\\\\\\"]"), S("[\"\\u0012\\u0000\"]"),
    S("[\"\\uFFFF\\uDBFF\\uDFFF\\uFDD0\\uFFFE\"]"), S("[\"\\u0022\"]"),
    S("[\"\\u005C\"]"), S("[\"\\u005C\\u005c\"]"), S("[\"\\\\\\u0041\"]"),
    S("[\"\x7f\"]"), S("[\"a\x7f" "a\"]"), S("[\"asd \", \" \"]"),
    /* lone and crossed surrogates are escapes like any other */
    S("[\"\\uD800\"]"), S("[\"\\uDFAA\"]"), S("[\"\\uD800\\n\"]"),
    S("[\"\\uD800\\uD800\\n\"]"), S("[\"\\uDd1e\\uD834\"]"),
    S("[\"\\uD888\\u1234\"]"), S("[\"\\ud800abc\"]"), S("{\"\\uDFAA\":0}"),
    /* UTF-8: the first and last of every length, and beside the holes */
    S("[\"\xc2\x80\xdf\xbf\"]"), S("[\"\xe0\xa0\x80\xef\xbf\xbf\"]"),
    S("[\"\xed\x9f\xbf\xee\x80\x80\"]"), S("[\"\xf0\x90\x80\x80\"]"),
    S("[\"\xf4\x8f\xbf\xbf\"]"), S("[\"\xf0\x9b\xbf\xbf\xef\xbf\xbe\"]"),
    S("[\"\xe2\x80\xa8\xe2\x80\xa9\xcf\x80\xe2\x82\xac\"]"),
    S("{\"\xe2\x8d\x82\xe3\x88\xb4\":\"\xf0\x9d\x84\x9e\"}"),
    S("[\"\xef\xbb\xbf\"]"), S("[\"\xc3\xa9\\n\xc3\xa9\"]"),
    /* not in a container */
    S("false"), S("true"), S("null"), S("\"asd\""), S("\"\""), S("\"\\u0020\""),
    S("42"), S("-0.1"), S("0"), S("-0"), S("1e9"), S(" \n7"),
};
/* clang-format on */

/* Texts that more bytes could complete. */
/* clang-format off */
static const struct sample cut_short[] = {
    S(""), S(" "), S("\n\n"), S("["), S("[[]"), S("[\"x\""), S("[\"x"),
    S("[\"\""), S("[1,"), S("[1"), S("[1,\n1\n,1"), S("[{}"), S("[{"),
    S("[\"a\",\n4\n,1,"), S("[ false, nul"), S("[ true, fals"),
    S("[ false, tru"), S("t"), S("nul"), S("fals"), S("-"), S("1."), S("1e"),
    S("1e+"), S("0.1E-"), S("[-"), S("[1."), S("[0"), S("[1e+"), S("{"),
    S("{\"a\":"), S("{\"a\""), S("{\"a\":\"a"), S("{\"x\": true,"),
    S("{\"\":"), S("{\"a"), S("{\"asd\":\"asd\""), S("\""), S("[\"\\"),
    S("[\"\\\"]"), S("[\"\\\\\\\"]"), S("[\"\\u"), S("[\"\\u0"),
    S("[\"\\u00"), S("[\"\\u00a"), S("[\"\\uD834\\"), S("[\"\\uD834\\uDd"),
    S("[\"\xc3"), S("[\"\xe0"), S("[\"\xe0\xa0"), S("[\"\xed\x9f"),
    S("[\"\xf0\x90"), S("[\"\xf0\x90\x80"), S("[\"\xf4\x8f"),
    S("[\"\xf4\x8f\xbf"), S("[\"a\xe2\x82"), S("\"\xf1"),
};
/* clang-format on */

/* A value, and then bytes that do not belong to the value. */
/* clang-format off */
static const struct sample followed[] = {
    S("[\"\"],"), S("[\"x\"]]"), S("123\0"), S("1]"), S("2@"), S("[][]"),
    S("{\"a\":\"b\"}/**/"), S("{\"a\":\"b\"}//"), S("{\"a\":\"b\"}/"),
    S("{\"a\":\"b\"}#"), S("{\"a\": true} \"x\""), S("{}}"), S("\"\"x"),
    S("[1]x"), S("1 000.0"), S("{} \0"), S("null\xc3\xa9"), S("0\xe5"),
    S("true,"), S("\"" LONG_KEY "\"\\uzzzz"),
    S("{}\xef\xbb\xbf"), S("1\f"), S("[]\v"),
};
/* clang-format on */

#define VALUE        "expected a value"
#define VALUE_END    "expected a value or ']'"
#define COMMA_ARRAY  "expected ',' or ']'"
#define COMMA_OBJECT "expected ',' or '}'"
#define A_KEY        "expected a key"
#define KEY_END      "expected a key or '}'"
#define A_COLON      "expected ':'"
#define NUMBER       "invalid number"
#define ESCAPE       "invalid escape"
#define UTF8                                                         \
	"invalid UTF-8; convert the input, for example with: iconv " \
	"-f ISO-8859-1 -t UTF-8"
#define NOT_FINITE "JSON has no NaN or Infinity; write null"
#define NO_COMMA   "JSON has no comma before a closing bracket"
#define CONTROL    "control character in string, escape it as \\u0000-\\u001f"
#define OPEN       "unterminated string"

/* clang-format off */
static const struct sample broken[] = {
    /* arrays */
    W(4, COMMA_ARRAY, "[1 true]"), W(2, VALUE_END, "[a\xe5]"),
    W(4, COMMA_ARRAY, "[\"\": 1]"), W(2, VALUE_END, "[,1]"),
    W(4, VALUE, "[1,,2]"), W(6, VALUE, "[\"x\",,]"), W(5, NO_COMMA, "[\"\",]"),
    W(2, VALUE_END, "[x"), W(3, COMMA_ARRAY, "[3[4]]"),
    W(2, VALUE_END, "[\xff]"), W(3, COMMA_ARRAY, "[1:2]"),
    W(2, VALUE_END, "[,]"), W(5, VALUE_END, "[   , \"\"]"),
    W(4, NO_COMMA, "[1,]"), W(4, VALUE, "[1,,]"), W(2, VALUE_END, "[*]"),
    W(2, VALUE_END, "[}"), W(4, NO_COMMA, "[1,}"), W(3, COMMA_ARRAY, "[1}"),
    W(4, COMMA_ARRAY, "[{}{}]"),
    /* words */
    W(6, VALUE, "[fals]"), W(5, VALUE, "[nul]"), W(5, VALUE, "[tru]"),
    W(2, VALUE_END, "[True]"), W(10, VALUE, "[\"x\", truth]"),
    W(5, VALUE, "truefalse"), W(5, VALUE, "nullx"), W(6, VALUE, "[true1]"),
    W(2, NOT_FINITE, "[NaN]"), W(2, NOT_FINITE, "[Infinity]"),
    W(1, VALUE, "abc"), W(1, VALUE, "a\xc3\xa5"), W(2, VALUE_END, "[\xc3\xa9]"),
    W(2, VALUE, "tRUE"), W(5, VALUE, "null_"),
    /* numbers */
    W(3, NUMBER, "[-]"), W(2, VALUE_END, "[++1234]"),
    W(2, VALUE_END, "[+1]"), W(2, VALUE_END, "[+Inf]"),
    W(4, NUMBER, "[-01]"), W(6, NUMBER, "[-1.0.]"), W(5, NUMBER, "[-2.]"),
    W(3, NUMBER, "[-NaN]"), W(2, VALUE_END, "[.-1]"),
    W(2, VALUE_END, "[.2e-3]"), W(5, NUMBER, "[0.1.2]"),
    W(7, NUMBER, "[0.3e+]"), W(6, NUMBER, "[0.3e]"), W(4, NUMBER, "[0.e1]"),
    W(5, NUMBER, "[0E+]"), W(4, NUMBER, "[0E]"), W(5, NUMBER, "[0e+]"),
    W(7, NUMBER, "[1.0e-]"), W(4, COMMA_ARRAY, "[1 000.0]"),
    W(4, NUMBER, "[1eE2]"), W(4, NUMBER, "[2.e+3]"), W(4, NUMBER, "[9.e+]"),
    W(2, VALUE_END, "[\xef\xbc\x91]"), W(3, NUMBER, "[1+2]"),
    W(3, NUMBER, "[0x42]"), W(5, NUMBER, "[0e+-1]"),
    W(10, NUMBER, "[-123.123foo]"), W(5, COMMA_ARRAY, "[123\xe5]"),
    W(5, COMMA_ARRAY, "[1e1\xe5]"), W(3, NUMBER, "[-Infinity]"),
    W(3, NUMBER, "[- 1]"), W(4, NUMBER, "[-012]"), W(3, NUMBER, "[-.123]"),
    W(4, NUMBER, "[-1x]"), W(4, NUMBER, "[1ea]"), W(4, NUMBER, "[1e\xe5]"),
    W(4, NUMBER, "[1.]"), W(2, VALUE_END, "[.123]"),
    W(5, NUMBER, "[1.2a-3]"), W(3, NUMBER, "[012]"), W(2, NUMBER, "01"),
    W(2, NUMBER, "0_"), W(3, NUMBER, "[--1]"),
    /* objects */
    W(2, KEY_END, "{[: \"x\"}"), W(5, A_COLON, "{\"x\", null}"),
    W(6, VALUE, "{\"x\"::\"b\"}"), W(2, KEY_END, "{\xf0\x9f\x87\xa8}"),
    W(10, COMMA_OBJECT, "{\"a\":\"a\" 123}"), W(2, KEY_END, "{key: 'value'}"),
    W(6, A_COLON, "{\"a\" b}"), W(2, KEY_END, "{:\"b\"}"),
    W(6, A_COLON, "{\"a\" \"b\"}"), W(2, KEY_END, "{1:1}"),
    W(2, KEY_END, "{null:null}"), W(9, A_KEY, "{\"id\":0,,,,,}"),
    W(2, KEY_END, "{'a':0}"), W(9, NO_COMMA, "{\"id\":0,}"),
    W(10, A_KEY, "{\"a\":\"b\",,\"c\":\"d\"}"), W(2, KEY_END, "{a: \"b\"}"),
    W(5, A_COLON, "{\"a\"}"), W(6, VALUE, "{\"a\":}"),
    W(6, VALUE, "{\"a\":/*comment*/\"b\"}"), W(2, KEY_END, "{]"),
    W(7, COMMA_OBJECT, "{\"a\":1]"), W(2, KEY_END, "{,"),
    W(8, NO_COMMA, "{\"a\":1,}"), W(7, COMMA_OBJECT, "{\"a\":0:1}"),
    /* escapes */
    W(11, ESCAPE, "[\"\\uD800\\u\"]"), W(12, ESCAPE, "[\"\\uD800\\u1\"]"),
    W(12, ESCAPE, "[\"\\uD800\\u1x\"]"), W(4, ESCAPE, "[\"\\\0\"]"),
    W(4, ESCAPE, "[\"\\x00\"]"), W(4, ESCAPE, "[\"\\\t\"]"),
    W(4, ESCAPE, "[\"\\\xf0\x9f\x8c\x80\"]"), W(8, ESCAPE, "[\"\\u00A\"]"),
    W(13, ESCAPE, "[\"\\uD834\\uDd\"]"), W(5, ESCAPE, "[\"\\u\xe5\"]"),
    W(16, ESCAPE, "[\"\\uD800\\uD800\\x\"]"), W(4, ESCAPE, "[\"\\a\"]"),
    W(5, ESCAPE, "[\"\\uqqqq\"]"), W(4, ESCAPE, "[\"\\\xe5\"]"),
    W(2, VALUE_END, "[\\u0020\"asd\"]"), W(2, VALUE_END, "[\\n]"),
    W(3, ESCAPE, "\"\\UA66D\""), W(4, ESCAPE, "[\"\\{[\"\\{"),
    W(8, ESCAPE, "[\"\\u123g\"]"), W(8, ESCAPE, "[\"\\u123\n\"]"),
    W(4, ESCAPE, "[\"\\\n\"]"), W(4, ESCAPE, "[\"\\'\"]"),
    W(4, ESCAPE, "[\"\\0\"]"), W(7, ESCAPE, "[\"\\u12/:\"]"),
    W(65, COMMA_ARRAY, "[\"" LONG_KEY "\" x\"\\uzzzz\"]"),
    /* raw bytes in strings */
    W(4, CONTROL, "[\"a\0a\"]"), W(6, OPEN, "[\"new\nline\"]"),
    W(6, OPEN, "[\"new\r\nline\"]"), W(3, CONTROL, "[\"\t\"]"),
    W(3, CONTROL, "[\"\x1f\"]"), W(3, CONTROL, "[\"\va\"\\f]"),
    W(3, OPEN, "{\"\n\":1}"), W(2, CONTROL, "\"\0"),
    /* quotes and comments of other languages */
    W(2, VALUE_END, "['single quote']"), W(2, VALUE_END, "[/**/]"),
    W(2, VALUE_END, "[<null>]"), W(1, VALUE, "<.>"), W(1, VALUE, "*"),
    /* UTF-8 in strings */
    W(3, UTF8, "[\"\xe9\"]"), W(3, UTF8, "[\"\x81\"]"),
    W(3, UTF8, "[\"\xff\"]"), W(3, UTF8, "[\"\xfe\"]"),
    W(3, UTF8, "[\"\xf4\xbf\xbf\xbf\"]"), W(3, UTF8, "[\"\xc0\xaf\"]"),
    W(3, UTF8, "[\"\xc1\xbf\"]"), W(3, UTF8, "[\"\xe0\x9f\xbf\"]"),
    W(3, UTF8, "[\"\xe0\xff\"]"), W(3, UTF8, "[\"\xf0\x8f\xbf\xbf\"]"),
    W(3, UTF8, "[\"\xf4\x90\x80\x80\"]"), W(3, UTF8, "[\"\xf5\x80\x80\x80\"]"),
    W(3, UTF8, "[\"\xed\xa0\x80\"]"), W(3, UTF8, "[\"\xed\xbf\xbf\"]"),
    W(3, UTF8, "[\"\xfc\x83\xbf\xbf\xbf\xbf\"]"),
    W(9, UTF8, "[\"\xe6\x97\xa5\xd1\x88\x41\xfa\"]"),
    W(5, UTF8, "[\"\xc3\xa9\xc3\"]"), W(3, UTF8, "[\"\xe2\x82\"]"),
    W(3, UTF8, "[\"\xf0\x9f\x98\"]"), W(5, UTF8, "[\"\xc3\xa9\xa9\"]"),
    W(3, UTF8, "{\"\xb9\":\"0\",}"), W(3, UTF8, "[\"\xe2\x28\xa1\"]"),
    W(3, UTF8, "\"a\xc3\x28"), W(3, UTF8, "\"a\xe0\x80"),
    W(3, UTF8, "\"a\xed\xa0"), W(3, UTF8, "\"a\xf4\x90"),
    W(3, UTF8, "\"a\xf8"), W(3, UTF8, "\"a\x80"),
    W(4, UTF8, "[\"a\xe9\\n\"]"), W(4, UTF8, "[\"a\xe9\n\"]"),
    W(4, UTF8, "[\"a\xe9\\q\"]"), W(5, CONTROL, "[\"\xc3\xa9\x01\xe9\"]"),
    /* around the value */
    W(1, VALUE, "\xef\xbb\xbf"), W(1, VALUE, "\xef\xbb\xbf{}"),
    W(1, VALUE, "]"), W(1, VALUE, "\xe5"), W(1, VALUE, "\xe9"),
    W(2, VALUE_END, "[\0]"), W(2, VALUE_END, "[\xe2\x81\xa0]"),
    W(2, VALUE_END, "[\f]"), W(1, VALUE, "\0"), W(3, COMMA_ARRAY, "[1\0]"),
    W(2, VALUE, " ,"), W(1, VALUE, "\xff\xfe[\0\"\0"),
    W(7, COMMA_OBJECT, "{\"a\":1\0}"), W(6, COMMA_ARRAY, "[true\0]"),
};
/* clang-format on */

#endif
