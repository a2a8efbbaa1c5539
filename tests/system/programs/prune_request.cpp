// prune_request.cpp - prunes a request in memory before it is sent
//
// usage: prune_request BUDGET < request.json
//
// Exit status: 0 success; 1 the request does not fit the budget; 2 error.
#include <ctx.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Free {
	void operator()(ctx_input *input) const { ctx_input_free(input); }
	void operator()(ctx_output *output) const { ctx_output_free(output); }
};

[[noreturn]] void
fail(const ctx_error &error)
{
	char text[600];

	ctx_error_format(&error, text, sizeof text);
	throw std::runtime_error(text);
}

// Called with each piece of the pruned request.  An exception must not
// leave a function that the library calls.
int
append(void *user, const char *data, std::size_t length) noexcept
{
	try {
		static_cast<std::string *>(user)->append(data, length);
	} catch (const std::exception &) {
		return -1;
	}
	return 0;
}

// Called for each message that is removed or changed.
int
report(void *, const ctx_change_info *change) noexcept
{
	std::fprintf(stderr, "message %llu (%s): %s, %s\n",
	    static_cast<unsigned long long>(change->index), change->role,
	    change->action, change->rule);
	return 0;
}

// Sets kept to the request without the messages that do not fit.  Returns
// false if it is still too long.
bool
prune(const std::string &request, std::uint64_t budget, std::string &kept)
{
	ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	ctx_error error = CTX_ERROR_INIT;
	ctx_input *input;
	ctx_output *output;
	int rc;

	if (ctx_input_open_memory(&input, request.data(), request.size(),
		nullptr, &error) < 0)
		fail(error);
	std::unique_ptr<ctx_input, Free> keep_input(input);
	if (ctx_output_open_callback(&output, append, &kept, &error) < 0)
		fail(error);
	std::unique_ptr<ctx_output, Free> keep_output(output);
	options.budget = budget;
	options.on_change = report;
	rc = ctx_prune(input, output, &options, nullptr, &error);
	if (rc < 0)
		fail(error);
	return rc == 0;
}

} // namespace

int
main(int argc, char **argv)
{
	std::string request{std::istreambuf_iterator<char>(std::cin), {}};
	std::string pruned;

	if (argc != 2)
		return 2;
	try {
		if (!prune(request, std::strtoull(argv[1], nullptr, 10),
			pruned)) {
			std::cerr << "prune_request: does not fit\n";
			return 1;
		}
		std::cout << pruned;
	} catch (const std::exception &error) {
		std::cerr << "prune_request: " << error.what() << "\n";
		return 2;
	}
	return 0;
}
