import { globSync } from 'node:fs'

/** Files whose mutants are run, and the tests that must detect them. */
export interface Target {
  readonly name: string
  readonly files: readonly string[]
  readonly tests: readonly string[]
  /** The share of mutants that tests detect or the table explains. */
  readonly goal: number
}

/**
 * Not mutated: texts of errors (compared with `docs/errors.md`), descriptions of OpenAPI (compared with the snapshots in
 * `docs/openapi`), and migrations.
 */
const notMutated = /\/(errors|describe|page-description|migration)\.ts$|\.test\.ts$/

const authorizationTests = [
  'plugins/authorization/test/*.test.ts',
  'plugins/actions/test/authorization.test.ts',
  'plugins/idempotency/test/authorization.test.ts',
  'test/template/authorization/permissions.test.ts',
  'test/template/authorization/unauthorized-changes.test.ts',
  'test/template/kernel/hooks/scope-hooks.test.ts',
]

export const targets: readonly Target[] = [
  target('authorization', 1, ['plugins/authorization/*.ts'], authorizationTests),
  target(
    'scopes',
    1,
    [
      'app/kernel/operations/context.ts',
      'app/kernel/read/resolve-scopes.ts',
      'app/kernel/schema/filter-to-condition.ts',
      'app/store/sql/scopes.ts',
    ],
    [
      ...authorizationTests,
      'test/template/store/statements/filter-to-condition.test.ts',
      'test/template/kernel/writes/one-to-one-writes.test.ts',
      'test/template/kernel/standalone/scope.test.ts',
      'test/template/authorization/visibility/*.test.ts',
      'test/template/kernel/declarations/relations.test.ts',
      'test/template/store/store.test.ts',
      'test/template/store/columns/joined-inheritance.test.ts',
      'plugins/limits/test/document-limits-writes.test.ts',
      'test/template/store/snapshot/scopes-before-reads.test.ts',
    ],
  ),
  target(
    'conditional-requests',
    0.85,
    ['plugins/conditional-requests/*.ts'],
    ['plugins/conditional-requests/test/*.test.ts', 'plugins/actions/test/preconditions.test.ts'],
  ),
  target(
    'idempotency',
    0.85,
    ['plugins/idempotency/*.ts'],
    ['plugins/idempotency/test/*.test.ts', 'plugins/actions/test/idempotency.test.ts'],
  ),
  target(
    'cursor-tokens',
    0.85,
    ['plugins/pagination/cursor/{token,paginator}.ts'],
    [
      'plugins/pagination/test/cursor.test.ts',
      'test/template/specification/reading/cursor-pagination.test.ts',
      'test/template/specification/reading/keyset.test.ts',
    ],
  ),
  target(
    'budget',
    0.85,
    ['app/kernel/read/document-budget.ts', 'plugins/limits/*.ts'],
    [
      'test/template/store/statements/budget.test.ts',
      'test/template/store/statements/plain-budget.test.ts',
      'plugins/limits/test/*.test.ts',
      'test/template/kernel/writes/long-linkage.test.ts',
    ],
  ),
]

/** A part of `authorization` that runs in a minute: changes of the decision itself, which one test file must detect. */
export const sample: Target = target(
  'sample',
  1,
  ['plugins/authorization/decide.ts'],
  ['plugins/authorization/test/fail-closed.test.ts'],
)
export const sampleMutants: readonly string[] = [
  "typeof method === 'function' → false",
  '!policy || ability === null || context.trusted → true',
  'methodOf(policy, ability)?.call(policy, context.principal, ...subject, context) → undefined',
  'methodOf(policy, ability)?.call(policy, context.principal, ...subject, context) → true',
  'early === undefined → true',
  'early === undefined → false',
  '!input → false',
]

function target(name: string, goal: number, files: readonly string[], tests: readonly string[]): Target {
  return {
    name,
    goal,
    files: globSync([...files])
      .filter((file) => !notMutated.test(file))
      .sort(),
    tests: globSync([...tests]).sort(),
  }
}
