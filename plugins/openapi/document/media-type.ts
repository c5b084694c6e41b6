import { mediaType } from '#kernel/plugin'

export function buildMediaType(extension: string | undefined): string {
  return extension ? `${mediaType}; ext="${extension}"` : mediaType
}
