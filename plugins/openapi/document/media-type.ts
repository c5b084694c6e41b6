import { mediaType } from '#kernel/plugin'

export function mediaTypeOf(extension: string | undefined): string {
  return extension ? `${mediaType}; ext="${extension}"` : mediaType
}
