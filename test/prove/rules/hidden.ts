import type { Prover } from '../prover.ts'
import { everybody, type Listed, type Place } from '../survey.ts'

/** What is hidden or write-only is in no answer, also not when a fieldset names it. */
export async function hiddenNeverShows({ url, type, hasList, hasOne, rows }: Place, prover: Prover): Promise<void> {
  const names = [...type.attributes, ...type.relations]
    .filter((field) => field.hidden === true || (field.role === 'attribute' && field.writeOnly === true))
    .map(({ name }) => name)
  if (names.length === 0) return
  const targets = [...(hasList ? [url] : []), ...(hasOne && rows[0] ? [`${url}/${rows[0].id}`] : [])]
  for (const target of targets) {
    for (const query of ['', ...names.map((name) => `?fields[${type.name}]=${name}`)]) {
      for (const who of everybody) {
        const answer = await prover.ask(target + query, { who })
        if (answer?.status !== 200) continue
        const shown = [answer.body.data ?? []].flat().flatMap((row: Listed) => membersOf(row))
        const seen = names.filter((name) => shown.includes(name))
        prover.hold(seen.length === 0, 'hidden fields never show', `GET ${target}${query}`, `shows ${seen.join(', ')}`)
      }
    }
  }
}

function membersOf(row: Listed & { readonly relationships?: object }): string[] {
  return [...Object.keys(row.attributes ?? {}), ...Object.keys(row.relationships ?? {})]
}
