import { defineError } from '#kernel/errors'

export const inclusionUnrecognized = defineError(
  'INCLUSION_UNRECOGNIZED',
  400,
  'Inclusion is unrecognized',
  'Cannot include {paths}: there is no such relationship. Accepted: {accepted}',
  {
    when: 'An include path names a relationship that does not exist.',
    example: { paths: 'track', accepted: "artist, tracks. Did you mean 'tracks'?" },
    source: { parameter: 'include' },
  },
)
export const inclusionNotAllowed = defineError(
  'INCLUSION_NOT_ALLOWED',
  400,
  'Inclusion is not allowed',
  'Including {paths} is not allowed. Accepted: {accepted}',
  {
    when: 'The type does not allow an include path, or a relationship of the path cannot be included.',
    example: { paths: 'favoritable', accepted: 'user.' },
    source: { parameter: 'include' },
  },
)
export const inclusionDepthExceeded = defineError(
  'INCLUSION_DEPTH_EXCEEDED',
  400,
  'Inclusion depth exceeded',
  'Cannot include {paths}: a path may have at most {maxDepth} relationships.',
  {
    when: 'An include path has more relationships than the type or the server allows.',
    example: { maxDepth: 3, paths: 'tracks.album.artist.albums' },
    source: { parameter: 'include' },
  },
)
export const inclusionUnsupported = defineError(
  'INCLUSION_UNSUPPORTED',
  400,
  'Inclusion is unsupported',
  'The parameter include is not accepted here, because the response contains no resource objects.',
  {
    when: '`include` is sent to a relationship URL or with DELETE, whose responses contain no resource objects.',
    source: { parameter: 'include' },
  },
)
