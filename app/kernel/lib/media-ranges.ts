import contentType from 'content-type'

/** An entry of the header Accept, or the value of Content-Type. */
export interface MediaRange {
  readonly type: string
  readonly quality: number
  readonly extensions: readonly string[]
  readonly profiles: readonly string[]
  /** Has a parameter besides `ext` and `profile`, or cannot be parsed. */
  readonly isInvalid: boolean
}

/** Parses the header Accept. */
export function parseAccept(header: string): readonly MediaRange[] {
  return splitHeader(header).map((text) => parseMediaRange(text, { weighted: true }))
}

/** `q` is the quality in Accept, and an invalid parameter in Content-Type. */
export function parseMediaRange(text: string, { weighted }: { readonly weighted: boolean }): MediaRange {
  try {
    const { type, parameters } = contentType.parse(text.replace(emptyParameters, '$1'))
    const { q = '1', ext = '', profile = '', ...foreign } = parameters
    return {
      type,
      quality: Number(q) || 0,
      extensions: ext.split(' ').filter(Boolean),
      profiles: profile.split(' ').filter(Boolean),
      isInvalid: Object.keys(foreign).length > 0 || (!weighted && 'q' in parameters),
    }
  } catch {
    const type = (text.split(';')[0] as string).trim().toLowerCase()
    return { type, quality: 1, extensions: [], profiles: [], isInvalid: true }
  }
}

/** Semicolons without a parameter, outside of quotes: RFC 9110, 5.6.6. */
const emptyParameters = /("(?:\\.|[^"\\])*"?)|;[ \t]*(?=;|$)/g

/** Splits at commas outside of quotes. */
function splitHeader(header: string): string[] {
  return (header.match(/(?:"(?:\\.|[^"\\])*"?|[^,"])+/g) ?? []).map((part) => part.trim()).filter(Boolean)
}
