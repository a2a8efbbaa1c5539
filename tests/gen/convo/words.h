/*
 * words.h - words for convo.c: in several scripts, code, and characters that
 * programs often handle wrongly
 */
#ifndef WORDS_H
#define WORDS_H

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const *const vocabulary[] = {
    WORDS("please", "look", "at", "the", "failing", "test", "and", "tell", "me",
	"why", "it's", "red", "since", "yesterday", "don't", "touch", "3.14",
	"files", "I'll", "CamelCaseName", "snake_case_name", "HTTP/2", "e.g.",
	"1,000,000", "2026-11-21", "naïve", "café", "O'Neill", "\n\n", "--",
	"!"),
    WORDS("Bitte", "prüfen", "Sie", "die", "Größe", "des", "Päckchens", "über",
	"Straßenbahnhaltestelle", "und", "Ärger", "mit", "Umlauten", "„so“",
	"ẞ"),
    WORDS("テスト", "が", "失敗", "しました", "。", "理由", "を", "調べて",
	"ください", "、", "が", "葛󠄀城", "１２３", "ﾊﾝｶｸ", "「はい」"),
    WORDS("कृपया", "परीक्षण", "देखें", "क्षमा", "स्त्री", "लक्ष्मी", "में", "त्रुटि", "है",
	"।", "१२३"),
    WORDS("Por", "favor", "mira", "¿por", "qué?", "el", "año", "pingüino",
	"corazón", "mañana", "«así»", "niño"),
    WORDS("مرحبًا", "يرجى", "التحقق", "من", "الاختبار", "،", "لماذا", "؟", "١٢٣",
	"العربية", "شُكرًا"),
    WORDS("请", "看", "一下", "这个", "测试", "为什么", "失败", "了", "？",
	"𠮷野家", "《书》", "，"),
    WORDS("проверь", "почему", "тест", "упал", "ёлка", "съешь", "ещё", "№"),
    WORDS("왜", "테스트가", "실패했나요", "한국어", "각", "확인해", "주세요"),
    WORDS("ทำไม", "การทดสอบ", "ล้มเหลว", "น้ำ", "ภาษาไทย", "ครับ"),
    WORDS("😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏿", "🇯🇵",
	"🇩🇪", "1️⃣", "❤️", "👩🏽‍💻", "🫠", "∑", "≠", "→",
	"½", "€"),
    WORDS("int", "main(void)", "{", "}", "return", "0;", "\tif (x < y && !z)",
	"\"quoted\"", "'c'", "\\n", "/* note */", "//", "\r\n", "<div>",
	"</div>", "&amp;", "#include", "%s", "${HOME}", "C:\\new\\table", "\n",
	"\n    "),
    WORDS("{\"key\":", "[1,2,3]", "\"a\\\"b\"", "\\u00e9", "null}", "}}",
	"{\"role\":", "\"tool_calls\":[", "]", ",",
	"data:image/png;base64,AAAA"),
    WORDS("\x01", "\x1b[31m", "\x7f", "\b", "\f", "\xe2\x80\xa8",
	"\xe2\x80\xa9", "\xef\xbb\xbf", "\xef\xbf\xbd", "\xef\xbf\xbf",
	"\xf4\x8f\xbf\xbf", "e\xcc\x81", "a\xcc\x88\xcc\xa3", "\xe2\x80\x8d",
	"\xe2\x80\x8f", "\xc2\xa0", "\xed\x9f\xbf", "\xee\x80\x80",
	"\xf0\x90\x80\x80", "/", "\\", "\""),
};

static const char *const tools[] = {"read_file", "run", "search", "edit-file",
    "list_dir", "query", "http_request", "Bash", "mcp__tracker__get_issue"};

static const char *const paths[] = {"src/main.c", "README.md", "/etc/hosts",
    "C:\\tmp\\a b.txt", "tests/größe.py", "文档/说明.md", "a\"quote\".txt",
    "."};

#endif
