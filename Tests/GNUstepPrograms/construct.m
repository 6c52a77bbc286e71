/* Calls back into early.m before main() begins, when the classes of the files that are linked before this one are
   loaded; a constructor in early.m itself would run too soon for its own classes. */

void construct(void);

__attribute__((constructor)) static void run(void)
{
  construct();
}
