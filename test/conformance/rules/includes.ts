import { pathsFrom } from '#test/conformance/leaks/reads.ts'
import { countBySql, repeatedStatements } from '#test/support/constant-queries.ts'
import { statementsOf } from '#test/support/statements.ts'
import type { Prover } from '../prover.ts'
import { pageQuery, type ServedType } from '../served-types.ts'

const mostPaths = 40

/** Every include path runs as many statements for one row as for many, and repeats no resource. */
export async function includesAreConstant(served: ServedType, prover: Prover): Promise<void> {
  const { url, type, server, principal, hasList } = served
  if (!hasList) return
  const { maxIncludeDepth = 0 } = server.options
  const depth = maxIncludeDepth > 0 ? Math.min(maxIncludeDepth, 3) : 3
  const paths = pathsFrom(type, depth).slice(0, mostPaths)
  for (const path of ['', ...paths]) {
    const target = path ? `${url}?include=${path}` : url
    const many = await count(prover, target, principal)
    if (many === null) continue
    const page = pageQuery(served, 1)
    const single = page === null ? null : await count(prover, `${target}${path ? '&' : '?'}${page}`, principal)
    const repeated = repeatedStatements(many, single ?? new Map(), target)
    prover.check(
      repeated.length === 0,
      'the number of statements does not grow with the rows',
      `GET ${target}`,
      repeated.join('; '),
    )
  }
}

/** Returns how often each statement runs; null when the status is not 200. */
async function count(prover: Prover, target: string, principal: string | null): Promise<Map<string, number> | null> {
  let status = 0
  const statements = await statementsOf(async () => {
    status = (await prover.send(target, { principal }))?.status ?? 0
  })
  if (status !== 200) return null
  return countBySql(statements)
}
