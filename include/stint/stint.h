#pragma once
// Everything of the device half of stint.

#include "stint/budget.h"
#include "stint/model.h"
#include "stint/runtime.h"
#include "stint/session.h"
#include "stint/status.h"
#include "stint/target.h"
#include "stint/tensor.h"
#include "stint/version.h"
