/* data_directory.h - finds the directory with the vocabulary files of ctx */
#ifndef CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H
#define CTX_TOKENIZER_VOCABULARY_DATA_DIRECTORY_H

/* Size of a buffer for the directory's path, with its NUL, in bytes. */
#define CTX_DATA_DIRECTORY_MAX 4096

#include "base/base.h"

/* Writes the path of the directory to path, as a string.  If no directory is
 * found, writes the one that was chosen when ctx was built.  Returns -1 with
 * *err if the system fails; path is then not valid. */
int ctx_data_directory_find(char path[CTX_DATA_DIRECTORY_MAX],
    struct ctx_err *err);

#endif
