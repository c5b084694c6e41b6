import type { Prover } from '../prover.ts'
import { allPrincipals, type ResourceObject, type ServedType } from '../served-types.ts'

/** Hidden and write-only fields are in no response, also when a fieldset names them. */
export async function hiddenFieldsStayHidden(
  { url, type, hasList, hasOne, rows }: ServedType,
  prover: Prover,
): Promise<void> {
  const names = [...type.attributes, ...type.relations]
    .filter((field) => field.hidden === true || (field.role === 'attribute' && field.writeOnly === true))
    .map(({ name }) => name)
  if (names.length === 0) return
  const targets = [...(hasList ? [url] : []), ...(hasOne && rows[0] ? [`${url}/${rows[0].id}`] : [])]
  for (const target of targets) {
    for (const query of ['', ...names.map((name) => `?fields[${type.name}]=${name}`)]) {
      for (const principal of allPrincipals) {
        const response = await prover.send(target + query, { principal })
        if (response?.status !== 200) continue
        const shown = [response.body.data ?? []].flat().flatMap((row: ResourceObject) => memberNames(row))
        const seen = names.filter((name) => shown.includes(name))
        prover.check(
          seen.length === 0,
          'hidden fields are in no response',
          `GET ${target}${query}`,
          `shows ${seen.join(', ')}`,
        )
      }
    }
  }
}

function memberNames(row: ResourceObject & { readonly relationships?: object }): string[] {
  return [...Object.keys(row.attributes ?? {}), ...Object.keys(row.relationships ?? {})]
}
