/* start.c - the main function of each program: calls MAIN, a macro that names
 * the main function of one command in the library of all commands */
int MAIN(int argc, char **argv);

int
main(int argc, char **argv)
{
	return MAIN(argc, argv);
}
