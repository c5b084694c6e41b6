import { type Attributes, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { type App, LruMap, type Statement, type StoreObserver } from '#kernel/plugin'
import { recordingContext } from './spans.ts'

interface Description {
  /** The operation and the table. */
  readonly summary: string
  readonly attributes: Attributes
}

/** Limit of cached descriptions. */
const maxDescriptions = 500

/** Creates a span for each statement of a recorded request or job, `begin` and `commit` included. */
export function observeStatements(app: App, tracer: Tracer): Pick<StoreObserver, 'onStatement'> {
  const descriptions = new LruMap<string, Description>()
  return {
    onStatement(statement) {
      const active = recordingContext(app)
      if (!active) return undefined
      // Statements of the store have few texts, whose literals are masked once.
      const describe = () => describeStatement(statement)
      const { summary, attributes } = descriptions.getOrCreate(statement.sql, maxDescriptions, describe)
      const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes }, active)
      return ({ rows, error }) => {
        if (error) {
          const { code, isSqlState } = readCode(error)
          span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttributes({
            'error.type': code ?? (error as Error).name,
            ...(isSqlState && { 'db.response.status_code': code }),
          })
        } else span.setAttribute('db.response.returned_rows', rows)
        span.end()
      }
    },
  }
}

/** The semantic conventions for databases allow no attributes for the operation and the table that are read from a text. */
function describeStatement(statement: Statement): Description {
  const text = statement.text()
  const operation = (/^\W*(\w+)/.exec(text)?.[1] ?? 'statement').toUpperCase()
  const table = /\b(?:from|into|update)\s+(?:only\s+)?((?:"\w+"|\w+)(?:\.(?:"\w+"|\w+))?)/i.exec(text)?.[1]
  const summary = table ? `${operation} ${table.replaceAll('"', '')}` : operation
  return {
    summary,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text, 'db.query.summary': summary },
  }
}

/** The SQLSTATE of an error of PostgreSQL, or the code of the operating system. The message may contain values of clients. */
function readCode(error: unknown): { readonly code?: string; readonly isSqlState: boolean } {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  if (typeof code !== 'string' || !/^[0-9A-Z_]+$/.test(code)) return { isSqlState: false }
  return { code, isSqlState: syscall === undefined && code.length === 5 }
}
