/* start.c - the program of a command: calls the main function MAIN of the
 * command in the library that all commands share */
int MAIN(int argc, char **argv);

int
main(int argc, char **argv)
{
	return MAIN(argc, argv);
}
