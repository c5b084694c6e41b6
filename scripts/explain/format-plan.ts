import type { Plan, PlanNode } from './plan.ts'

/** Members of a node that are conditions or keys, in the order of the lines below it. */
const conditions = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Group Key',
]

/** Prints a plan as a tree, with the measured time and rows of each node if the statement was executed. */
export function formatPlan({ Plan: root, ...times }: Plan): string {
  const planning = times['Planning Time']
  const execution = times['Execution Time']
  const measured = [
    ...(planning === undefined ? [] : [`planning ${milliseconds(planning)}`]),
    ...(execution === undefined ? ['not executed'] : [`execution ${milliseconds(execution)}`]),
  ]
  return [...formatNode(root, ''), measured.join(', ')].join('\n')
}

function formatNode(node: PlanNode, indent: string): string[] {
  const details = conditions.flatMap((name) => {
    const value = node[name as keyof PlanNode] as string | readonly string[] | undefined
    return value === undefined ? [] : [`${indent}    ${name}: ${[value].flat().join(', ')}`]
  })
  const removed = node['Rows Removed by Filter']
  return [
    `${indent}${nodeTitle(node)}  ${nodeFigures(node)}`,
    ...details,
    ...(removed ? [`${indent}    Rows removed by the filter: ${removed}`] : []),
    ...(node.Plans ?? []).flatMap((child) => formatNode(child, `${indent}  `)),
  ]
}

function nodeTitle(node: PlanNode): string {
  const relation = node['Relation Name'] ?? node['CTE Name']
  const alias = node.Alias && node.Alias !== relation ? ` ${node.Alias}` : ''
  return [
    ...(node['Subplan Name'] ? [`${node['Subplan Name']}:`] : []),
    ...(node.Operation ? [node.Operation] : [node['Node Type']]),
    ...(node['Index Name'] ? [`using ${node['Index Name']}`] : []),
    ...(relation ? [`on ${relation}${alias}`] : []),
  ].join(' ')
}

/** A node that was never executed has no rows and no loops. */
function nodeFigures(node: PlanNode): string {
  const cost = `cost ${node['Total Cost']}`
  const loops = node['Actual Loops']
  if (loops === undefined) return `(${cost}, rows ${node['Plan Rows']} estimated)`
  if (loops === 0) return `(${cost}, never executed)`
  const hit = node['Shared Hit Blocks'] ?? 0
  const read = node['Shared Read Blocks'] ?? 0
  const parts = [
    cost,
    milliseconds(node['Actual Total Time'] ?? 0),
    `rows ${node['Actual Rows']} (estimated ${node['Plan Rows']})`,
    ...(loops > 1 ? [`loops ${loops}`] : []),
    `buffers ${hit + read}${read > 0 ? ` (${read} read)` : ''}`,
  ]
  return `(${parts.join(', ')})`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}
