/** A node of `EXPLAIN (FORMAT JSON)`: https://www.postgresql.org/docs/current/sql-explain.html */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly 'Index Name'?: string
  readonly 'CTE Name'?: string
  readonly 'Subplan Name'?: string
  readonly Operation?: string
  readonly 'Startup Cost': number
  readonly 'Total Cost': number
  readonly 'Plan Rows': number
  readonly 'Actual Total Time'?: number
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Filter?: string
  readonly 'Sort Key'?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

export interface Plan {
  readonly Plan: PlanNode
  readonly 'Planning Time'?: number
  /** Undefined if the statement was planned and not executed. */
  readonly 'Execution Time'?: number
}

/** Reads the answer to `explain (format json)`. */
export function readPlan(rows: readonly Record<string, unknown>[]): Plan {
  const answer = rows[0]?.['QUERY PLAN']
  const [plan] = (typeof answer === 'string' ? JSON.parse(answer) : answer) as Plan[]
  return plan as Plan
}

/** The node and all nodes below it. */
export function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)]
}

/** Replaces the values in conditions, which PostgreSQL prints instead of the parameters, by `?`. */
export function withoutValues(plan: Plan): Plan {
  return { ...plan, Plan: redactNode(plan.Plan) }
}

function redactNode(node: PlanNode): PlanNode {
  const entries = Object.entries(node).map(([key, value]) => [key, redactMember(key, value)])
  return Object.fromEntries(entries) as PlanNode
}

/** Names of relations and indexes are not conditions. */
const names = new Set(['Node Type', 'Relation Name', 'Alias', 'Index Name', 'CTE Name', 'Subplan Name', 'Schema'])

function redactMember(key: string, value: unknown): unknown {
  if (key === 'Plans') return (value as PlanNode[]).map(redactNode)
  if (names.has(key)) return value
  if (Array.isArray(value)) return value.map((item) => redactMember(key, item))
  return typeof value === 'string' ? redactText(value) : value
}

/** Replaces the constants of a statement or condition by `?`. */
export function redactText(text: string): string {
  return text.replace(/'(?:[^']|'')*'|(?<![\w$".])\d+(?:\.\d+)?(?![\w"])/g, '?')
}
