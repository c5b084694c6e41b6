import { mediaType } from '#kernel/plugin'
import { checkDocument } from '#test/support/document-rules.ts'
import { root } from '../../../../scripts/support/project.ts'
import type { DrawnRequest } from './requests.ts'
import type { FuzzResponse } from './send.ts'

/** Returns the fault of a response; null when there is none. */
export function findFault(request: DrawnRequest, response: FuzzResponse): string | null {
  if (response.status >= 500) return `The response is a ${response.status}.`
  return documentFault(request, response) ?? leakFault(request, response)
}

function documentFault(
  { method, isResourceUrl: isOurs }: DrawnRequest,
  { status, contentType, text }: FuzzResponse,
): string | null {
  if (!contentType.startsWith(mediaType)) {
    return isOurs && text !== '' ? `The response is not a document, but ${contentType}.` : null
  }
  if (method === 'HEAD' || text === '') return null
  try {
    checkDocument(JSON.parse(text), status, contentType)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Paths, stack traces, SQL and internal messages, which no response may reveal. */
const secrets: readonly RegExp[] = [
  new RegExp(root.replaceAll('/', '\\/')),
  /node_modules|\bfile:\/\/|\/(home|tmp|usr|root)\//,
  /\bat .{1,80}\.(ts|js):\d+/,
  /\b(from|into|update|join) \\"\w+\\"/i,
  /syntax error at|duplicate key value|violates .{1,30} constraint|invalid input syntax|relation ".+" does not exist/,
  /MikroORM|Kysely|PGlite|pg-boss|postgres:\/\//i,
  /Cannot read propert|is not a function|is not iterable|undefined \(reading/,
  /Unexpected token|in JSON at position/,
  /\$scrypt\$|"password"/,
]

/** Ignores text that the client has sent. */
function leakFault({ path, body, headers }: DrawnRequest, { text }: FuzzResponse): string | null {
  for (const secret of secrets) {
    const [found] = secret.exec(text) ?? []
    if (found === undefined) continue
    const sent = [decode(path), body ?? '', ...Object.values(headers)].join('\n')
    if (!secret.test(sent)) return `The response reveals '${found}'.`
  }
  return null
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
