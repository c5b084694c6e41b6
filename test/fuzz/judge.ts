import { mediaType } from '#kernel/plugin'
import { checkDocument } from '#test/support/document-rules.ts'
import { root } from '../../scripts/support/project.ts'
import type { DrawnRequest } from './requests.ts'
import type { FuzzAnswer } from './send.ts'

/** What is wrong with an answer; null when nothing is. */
export function judge(request: DrawnRequest, answer: FuzzAnswer): string | null {
  if (answer.status >= 500) return `The answer is a ${answer.status}.`
  return wrongDocument(request, answer) ?? leakIn(request, answer)
}

function wrongDocument({ method, isOurs }: DrawnRequest, { status, contentType, text }: FuzzAnswer): string | null {
  if (!contentType.startsWith(mediaType)) {
    return isOurs && text !== '' ? `The answer is not a document, but ${contentType}.` : null
  }
  if (method === 'HEAD' || text === '') return null
  try {
    checkDocument(JSON.parse(text), status, contentType)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Paths, stacks, statements and messages that are nobody's business. */
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

/** What the client has sent may be told again. */
function leakIn({ path, body, headers }: DrawnRequest, { text }: FuzzAnswer): string | null {
  for (const secret of secrets) {
    const [found] = secret.exec(text) ?? []
    if (found === undefined) continue
    const sent = [decode(path), body ?? '', ...Object.values(headers)].join('\n')
    if (!secret.test(sent)) return `The answer tells '${found}'.`
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
