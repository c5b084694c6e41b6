import type { Prover } from '../prover.ts'
import type { ServedType } from '../served-types.ts'

const denied = [401, 403, 404]

/** Invalid writes are rejected before anything is written. */
export async function writesAreChecked({ type, url, principal, rows }: ServedType, prover: Prover): Promise<void> {
  const { name, operations, id } = type
  const post = { method: 'POST', principal }
  if (operations.has('Create')) {
    await prover.expect([400], 'a body without data returns 400', url, { ...post, body: {} })
    await prover.expect([400], 'a body that is not JSON returns 400', url, { ...post, body: '{' })
    const otherType = { data: { type: `${name}-x` } }
    await prover.expect([409, ...denied], 'a resource of another type returns 409', url, { ...post, body: otherType })
    if (id.clientId === 'forbidden') {
      const withId = { data: { type: name, id: 'chosen' } }
      await prover.expect([403, ...denied], 'a client-generated id returns 403', url, { ...post, body: withId })
    }
  }
  const [row] = rows
  if (!operations.has('Update') || !row) return
  const target = `${url}/${encodeURIComponent(row.id)}`
  const patch = { method: 'PATCH', principal }
  const other = { data: { type: name, id: `${row.id}-x` } }
  await prover.expect([400], 'a body without data returns 400', target, { ...patch, body: {} })
  await prover.expect([409, ...denied], 'an id that differs from the URL returns 409', target, {
    ...patch,
    body: other,
  })
}
