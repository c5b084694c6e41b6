import type { Finding } from './matrix.ts'

/** A line per finding; empty when there is none. */
export function findingsText(findings: readonly Finding[]): string {
  return findings.map((finding) => `${requestText(finding)}: ${finding.rule}: ${finding.message}`).join('\n')
}

/** `PATCH /shelves/1/relationships/books {"data":[]}` */
export function requestText({ way: { method, path, body } }: Pick<Finding, 'way'>): string {
  return `${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`
}
