import { hash } from 'node:crypto'

// Entity tags: https://www.rfc-editor.org/rfc/rfc9110#name-etag

export interface EntityTag {
  /** The text inside the quotes. */
  readonly value: string
  readonly isWeak: boolean
}

/** The value of If-Match or If-None-Match: `*`, or a list of tags. An invalid header is an empty list. */
export type TagList = '*' | readonly EntityTag[]

export function parseTags(header: string): TagList {
  if (header.trim() === '*') return '*'
  const tags = header.matchAll(/(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)
  return [...tags].map(([, weak, value = '']) => ({ value, isWeak: weak !== undefined }))
}

/** The part of a tag that If-Match compares: the version before the digest. A tag may consist of the version alone. */
export function versionIn(tag: string): string {
  const end = tag.indexOf('-')
  return end < 0 ? tag : tag.slice(0, end)
}

/** A short text that differs if the content differs: 128 bits of SHA-256, without the hyphen that separates versions. */
export function digest(content: string | Buffer): string {
  return hash('sha256', content, 'base64').slice(0, 22)
}

/** Weak comparison, for If-None-Match. */
export function matchesWeakly(tags: TagList, tag: string): boolean {
  return tags === '*' || tags.some(({ value }) => value === tag)
}
