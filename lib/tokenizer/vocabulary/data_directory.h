/* data_directory.h - finds the directory that contains ctx's vocabulary
 * files */
#ifndef CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H
#define CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/base.h"

/* Maximum length in bytes of the directory's path, including the NUL byte at
 * its end. */
#define CTX_DATA_DIRECTORY_MAX 4096

struct ctx_data_directory {
	char path[CTX_DATA_DIRECTORY_MAX]; /* path, terminated by a NUL byte */
	/* True if the directory was found by a search that begins at the file
	 * that contains this code.  If true, a file in the directory is used
	 * only if it belongs to the user root or to "owner", the owner of the
	 * file with the code. */
	bool searched;
	uid_t owner;
};

/* Finds the directory that contains the vocabulary files.  If no search finds
 * it, the result is the directory that was chosen when ctx was built, which may
 * not exist.  Returns -1 with *err and an empty path if a system call fails. */
int ctx_data_directory_find(struct ctx_data_directory *directory,
    struct ctx_err *err);

#endif
