import { hasRelationshipEndpoint, mediaType } from '#kernel/plugin'
import type { Prover, RequestOptions } from '../prover.ts'
import type { ServedType } from '../served-types.ts'

const unknownExtension = `${mediaType}; ext="https://example.com/unknown"`
const wrongContent = ['application/json', `${mediaType}; charset=utf-8`, unknownExtension]
const wrongAccept = [`${mediaType}; charset=utf-8`, unknownExtension]

/** An unsupported Content-Type returns 415 and an unacceptable Accept 406, for every request. */
export async function mediaTypesAreNegotiated(served: ServedType, prover: Prover): Promise<void> {
  const { url, principal, hasList, type, rows } = served
  const target = hasList ? url : `${url}/${rows[0]?.id ?? '1'}`
  for (const accept of wrongAccept) {
    await prover.expect([406], `Accept '${accept}' returns 406`, target, { principal, headers: { accept } })
  }
  for (const [method, path] of listWrites(served)) {
    for (const content of wrongContent) {
      const options: RequestOptions = {
        method,
        principal,
        headers: { 'content-type': content },
        body: { data: { type: type.name } },
      }
      await prover.expect([415], `Content-Type '${content}' returns 415`, path, options)
    }
  }
}

function listWrites({ type, url, rows }: ServedType): readonly (readonly [method: string, path: string])[] {
  const [row] = rows
  const resourceUrl = row && `${url}/${encodeURIComponent(row.id)}`
  const linkages = type.relations
    .filter(hasRelationshipEndpoint)
    .map(({ segment }) => `${resourceUrl}/relationships/${segment}`)
  return [
    ...(type.operations.has('Create') ? [['POST', url] as const] : []),
    ...(type.operations.has('Update') && resourceUrl
      ? [resourceUrl, ...linkages].map((path) => ['PATCH', path] as const)
      : []),
  ]
}
