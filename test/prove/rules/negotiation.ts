import { hasRelationshipEndpoint, mediaType } from '#kernel/plugin'
import type { Prover, Question } from '../prover.ts'
import type { Place } from '../survey.ts'

const unknownExtension = `${mediaType}; ext="https://example.com/unknown"`
const wrongContent = ['application/json', `${mediaType}; charset=utf-8`, unknownExtension]
const wrongAccept = [`${mediaType}; charset=utf-8`, unknownExtension]

/** What cannot be read is a 415, what cannot be written a 406, whatever is asked for. */
export async function negotiation(place: Place, prover: Prover): Promise<void> {
  const { url, who, hasList, type, rows } = place
  const target = hasList ? url : `${url}/${rows[0]?.id ?? '1'}`
  for (const accept of wrongAccept) {
    await prover.expect([406], `Accept '${accept}' is a 406`, target, { who, headers: { accept } })
  }
  for (const [method, path] of writesOf(place)) {
    for (const content of wrongContent) {
      const question: Question = {
        method,
        who,
        headers: { 'content-type': content },
        body: { data: { type: type.name } },
      }
      await prover.expect([415], `Content-Type '${content}' is a 415`, path, question)
    }
  }
}

function writesOf({ type, url, rows }: Place): readonly (readonly [method: string, path: string])[] {
  const [row] = rows
  const one = row && `${url}/${encodeURIComponent(row.id)}`
  const linkages = type.relations
    .filter(hasRelationshipEndpoint)
    .map(({ segment }) => `${one}/relationships/${segment}`)
  return [
    ...(type.operations.has('Create') ? [['POST', url] as const] : []),
    ...(type.operations.has('Update') && one ? [one, ...linkages].map((path) => ['PATCH', path] as const) : []),
  ]
}
