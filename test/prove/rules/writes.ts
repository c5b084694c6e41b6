import type { Prover } from '../prover.ts'
import type { Place } from '../survey.ts'

const denied = [401, 403, 404]

/** What a write says of itself is checked before anything is written. */
export async function writesAreChecked({ type, url, who, rows }: Place, prover: Prover): Promise<void> {
  const { name, operations, id } = type
  const post = { method: 'POST', who }
  if (operations.has('Create')) {
    await prover.expect([400], 'a body without data is a 400', url, { ...post, body: {} })
    await prover.expect([400], 'a body that is not JSON is a 400', url, { ...post, body: '{' })
    const stranger = { data: { type: `${name}-x` } }
    await prover.expect([409, ...denied], 'a resource of another type is a 409', url, { ...post, body: stranger })
    if (id.clientId === 'forbidden') {
      const chosen = { data: { type: name, id: 'chosen' } }
      await prover.expect([403, ...denied], 'an id of the client is a 403', url, { ...post, body: chosen })
    }
  }
  const [row] = rows
  if (!operations.has('Update') || !row) return
  const target = `${url}/${encodeURIComponent(row.id)}`
  const patch = { method: 'PATCH', who }
  const other = { data: { type: name, id: `${row.id}-x` } }
  await prover.expect([400], 'a body without data is a 400', target, { ...patch, body: {} })
  await prover.expect([409, ...denied], 'another id than that of the URL is a 409', target, { ...patch, body: other })
}
