import { mediaType } from '#kernel'

export function mediaTypeOf(extension: string | undefined): string {
  return extension ? `${mediaType}; ext="${extension}"` : mediaType
}
