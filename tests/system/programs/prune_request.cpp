// prune_request.cpp - prunes a request in memory before it is sent
//
// usage: prune_request BUDGET < request.json
#include <ctx.h>

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

// Called with each piece of the pruned request.
int
append(void *user, const char *data, std::size_t length)
{
	static_cast<std::string *>(user)->append(data, length);
	return 0;
}

// Called for each message that is removed or changed.
int
report(void *, const ctx_change_info *change)
{
	std::cerr << "message " << change->index << " (" << change->role
		  << "): " << change->action << ", " << change->rule << "\n";
	return 0;
}

std::string
prune(const std::string &request, std::uint64_t budget)
{
	ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	ctx_error error = CTX_ERROR_INIT;
	ctx_input *input;
	ctx_output *output;
	std::string pruned;

	if (ctx_input_open_memory(&input, request.data(), request.size(),
		nullptr, &error) < 0)
		fail(error);
	std::unique_ptr<ctx_input, Free> keep_input(input);
	if (ctx_output_open_callback(&output, append, &pruned, &error) < 0)
		fail(error);
	std::unique_ptr<ctx_output, Free> keep_output(output);
	options.budget = budget;
	options.on_change = report;
	if (ctx_prune(input, output, &options, nullptr, &error) < 0)
		fail(error);
	return pruned;
}

} // namespace

int
main(int argc, char **argv)
{
	std::string request{std::istreambuf_iterator<char>(std::cin), {}};

	if (argc != 2)
		return 2;
	try {
		std::cout << prune(request, std::strtoull(argv[1], nullptr, 10));
	} catch (const std::exception &error) {
		std::cerr << "prune_request: " << error.what() << "\n";
		return 2;
	}
	return 0;
}
