import type { Explanation } from './explain-request.ts'
import { formatPlan, milliseconds } from './format-plan.ts'
import type { Plan } from './plan.ts'
import type { Trial } from './try-index.ts'

type Explained = Explanation['statements'][number]

/** Prints the explanation for people. */
export function formatExplanation({ request, answer, errors, ...rest }: Explanation): string {
  const { statements, otherStatements } = rest
  const total = statements.reduce((sum, { plan }) => sum + (executionTime(plan) ?? 0), 0)
  const count = statements.length === 1 ? '1 statement' : `${statements.length} statements`
  return [
    `${request.method} ${request.path}: ${answer.status}, ${count}, ${milliseconds(total)} in the database`,
    ...(answer.error ? [answer.error] : []),
    ...errors.map((message) => `Logged: ${message}`),
    ...statements.map((statement, index) => formatStatement(statement, index + 1)),
    ...(otherStatements.length > 0 ? [formatOthers(otherStatements)] : []),
  ].join('\n\n')
}

function formatStatement({ sql, parameters, plan, failure, trials }: Explained, number: number): string {
  const shown = parameters.some((value) => value !== null) ? ` ${JSON.stringify(parameters)}` : ''
  const count = parameters.length === 1 ? '1 parameter' : `${parameters.length} parameters`
  return [
    `${number}. ${sql}`,
    `   ${count}${shown}`,
    ...(failure ? [`   The statement failed: ${failure}.`] : []),
    ...(plan ? [indent(formatPlan(plan))] : []),
    ...trials.map((trial) => indent(formatTrial(trial, plan))),
  ].join('\n')
}

/** Says what the index would change. */
function formatTrial({ candidate, plan, isUsed, failure }: Trial, before: Plan | null): string {
  const { create, rows, exists } = candidate
  const read = rows === null ? '' : ` The sequential scan read ${rows} rows.`
  if (exists) return `Index: the database has it, and the planner does not use it.${read}\n  ${create};`
  if (failure) return `Index: it could not be tried: ${failure}.\n  ${create};`
  if (!plan) return `Index that may help; --try-indexes explains the statement with it.${read}\n  ${create};`
  if (!isUsed) return `Index: the planner would not use it.${read}\n  ${create};`
  return `Index: ${compareCosts(before, plan)}.${read}\n  ${create};`
}

function compareCosts(before: Plan | null, after: Plan): string {
  const cost = `cost ${before?.Plan['Total Cost']} → ${after.Plan['Total Cost']}`
  const [was, is] = [executionTime(before), executionTime(after)]
  return was === null || is === null ? cost : `${cost}, ${milliseconds(was)} → ${milliseconds(is)}`
}

function formatOthers(statements: readonly string[]): string {
  const list = statements.map((sql) => `  ${sql}`).join('\n')
  return `Sent on other connections, not explained and not rolled back:\n${list}`
}

/** Returns null if the statement was not executed. */
function executionTime(plan: Plan | null): number | null {
  return plan?.['Execution Time'] ?? null
}

function indent(text: string): string {
  return text.replace(/^/gm, '   ')
}

/** The shape of `--json`, as docs/explain.md describes it. */
export function toJson({ request, answer, errors, statements, otherStatements }: Explanation): object {
  return {
    request: { method: request.method, path: request.path },
    status: answer.status,
    errors,
    statements: statements.map(({ sql, parameters, plan, failure, trials }) => ({
      sql,
      parameterCount: parameters.length,
      ...(parameters.some((value) => value !== null) && { parameters }),
      milliseconds: executionTime(plan),
      failure,
      plan,
      indexes: trials.map((trial) => ({
        create: trial.candidate.create,
        exists: trial.candidate.exists,
        rowsScanned: trial.candidate.rows,
        isTried: trial.plan !== null,
        isUsed: trial.isUsed,
        failure: trial.failure,
        costBefore: plan?.Plan['Total Cost'] ?? null,
        costAfter: trial.plan?.Plan['Total Cost'] ?? null,
        millisecondsBefore: executionTime(plan),
        millisecondsAfter: executionTime(trial.plan),
      })),
    })),
    otherStatements,
  }
}
