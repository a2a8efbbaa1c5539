/* data_directory.h - finds the directory with the vocabulary files of ctx */
#ifndef CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H
#define CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"

/* Size of a buffer for the directory's path, with its NUL, in bytes. */
#define CTX_DATA_DIRECTORY_MAX 4096

struct ctx_data_directory {
	char path[CTX_DATA_DIRECTORY_MAX]; /* NUL-terminated path */
	/* True if the directory was found by a search, starting from the file
	 * that contains this code.  Then a file in it is used only if it
	 * belongs to root or to owner, who owns the file with the code. */
	bool searched;
	uid_t owner;
};

/* Finds the directory with the vocabulary files.  If the search finds none, the
 * result is the directory that was chosen when ctx was built, whether it exists
 * or not.  Returns -1 with *err if a system call fails; the path is then
 * empty. */
int ctx_data_directory_find(struct ctx_data_directory *directory,
    struct ctx_err *err);

#endif
