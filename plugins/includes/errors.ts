import { defineError } from '#kernel/plugin'

export const inclusionUnrecognized = defineError(
  'INCLUSION_UNRECOGNIZED',
  400,
  'Inclusion is unrecognized',
  'There are no relationships behind these include paths: {paths}.',
  {
    when: 'An include path leads over a relationship that does not exist.',
    example: { paths: "'label'" },
    source: { parameter: 'include' },
  },
)
export const inclusionNotAllowed = defineError(
  'INCLUSION_NOT_ALLOWED',
  400,
  'Inclusion is not allowed',
  'These paths cannot be included: {paths}.',
  {
    when: 'An include path is not among those the type allows.',
    example: { paths: "'favoritable'" },
    source: { parameter: 'include' },
  },
)
export const inclusionDepthExceeded = defineError(
  'INCLUSION_DEPTH_EXCEEDED',
  400,
  'Inclusion depth exceeded',
  'These include paths have more than {maxDepth} relationships: {paths}.',
  {
    when: 'An include path has more relationships than are allowed.',
    example: { maxDepth: 3, paths: "'tracks.album.artist.albums'" },
    source: { parameter: 'include' },
  },
)
export const inclusionUnsupported = defineError(
  'INCLUSION_UNSUPPORTED',
  400,
  'Inclusion is unsupported',
  'The answer to this request cannot include resources: {paths}.',
  {
    when: 'Resources are to be included where the answer cannot hold them.',
    example: { paths: "'tracks'" },
    source: { parameter: 'include' },
  },
)
