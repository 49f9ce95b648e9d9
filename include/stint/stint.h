#pragma once
// Everything of the device half of stint.

#include "stint/model.h"
#include "stint/runtime.h"
#include "stint/session.h"
#include "stint/status.h"
#include "stint/tensor.h"
