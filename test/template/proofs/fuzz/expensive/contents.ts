import type { Json } from '#test/template/support/corrupt-json.ts'

type Members = { readonly [member: string]: Json | undefined }

/** Counts the resources of a response, included ones too, and the resource identifiers in all linkage. */
export function countContents(text: string): { resources: number; identifiers: number } {
  const found = listContents(text.startsWith('{') ? JSON.parse(text) : {})
  const resources = found.filter((item) => item.attributes !== undefined || item.relationships !== undefined)
  const linkage = resources.flatMap(({ relationships }) => Object.values((relationships ?? {}) as Members))
  const linked = linkage.flatMap((relationship) => (relationship as Members).data ?? [])
  return { resources: resources.length, identifiers: found.length - resources.length + linked.length }
}

/** Returns the contents of `data`, `included` and the results of a batch. */
function listContents(document: Members): Members[] {
  const results = [document['atomic:results'] ?? []].flat() as Members[]
  const data = [document, ...results].flatMap(({ data }) => data ?? [])
  return [...data, ...[document.included ?? []].flat()].filter((item) => typeof item === 'object') as Members[]
}
