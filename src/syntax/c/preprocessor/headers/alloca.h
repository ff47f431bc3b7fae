/* Memory of a frame. */
#include <stdlib.h>
