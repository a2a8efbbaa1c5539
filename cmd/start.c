/* start.c - the main function of each command's program: calls MAIN, the main
 * function that the command has in the library of all commands */
int MAIN(int argc, char **argv);

int
main(int argc, char **argv)
{
	return MAIN(argc, argv);
}
