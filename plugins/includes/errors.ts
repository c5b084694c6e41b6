import { defineError } from '#kernel'

export const inclusionUnrecognized = defineError(
  'INCLUSION_UNRECOGNIZED',
  400,
  'Inclusion is unrecognized',
  'There are no relationships behind these include paths: {paths}.',
)
export const inclusionNotAllowed = defineError(
  'INCLUSION_NOT_ALLOWED',
  400,
  'Inclusion is not allowed',
  'These paths cannot be included: {paths}.',
)
export const inclusionDepthExceeded = defineError(
  'INCLUSION_DEPTH_EXCEEDED',
  400,
  'Inclusion depth exceeded',
  'These include paths have more than {maxDepth} relationships: {paths}.',
)
export const inclusionUnsupported = defineError(
  'INCLUSION_UNSUPPORTED',
  400,
  'Inclusion is unsupported',
  'The answer to this request cannot include resources: {paths}.',
)
