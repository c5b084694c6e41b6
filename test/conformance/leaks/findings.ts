import type { Finding } from './matrix.ts'

/** Returns a line per finding; empty when there is none. */
export function findingsText(findings: readonly Finding[]): string {
  return findings.map((finding) => `${requestText(finding)}: ${finding.rule}: ${finding.message}`).join('\n')
}

/** `PATCH /shelves/1/relationships/books {"data":[]}` */
export function requestText({ request: { method, path, body } }: Pick<Finding, 'request'>): string {
  return `${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`
}
