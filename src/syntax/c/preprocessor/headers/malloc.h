/* Memory of the heap. */
#include <stdlib.h>
