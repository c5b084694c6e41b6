import { execFileSync } from 'node:child_process'
import { findProgram } from '../../../../scripts/template/cluster/programs.ts'

export interface SignedMessage {
  readonly secret: string
  readonly id: string
  readonly timestamp: string
  readonly body: string
  /** The header Webhook-Signature. */
  readonly signature: string
}

/** Standard Webhooks with the standard library of Python. Prints the signature of each message on a line. */
const python = `
import base64, hashlib, hmac, json, sys
for line in sys.stdin:
    message = json.loads(line)
    key = base64.b64decode(message['secret'].split('_', 1)[1], validate=True)
    signed = message['id'] + '.' + message['timestamp'] + '.' + message['body']
    print('v1,' + base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).decode())
`

interface Signer {
  readonly program: string
  sign(messages: readonly SignedMessage[]): string[]
}

/** Signs messages without code of the project: by Python, or by OpenSSL, which takes longer. */
export const signWith: Signer = findProgram('python3')
  ? { program: 'python3', sign: signWithPython }
  : { program: 'openssl', sign: (messages) => messages.map(signWithOpenssl) }

/** Returns for each message whether its signature is valid. */
export function verifySignatures(messages: readonly SignedMessage[]): boolean[] {
  const signatures = signWith.sign(messages)
  return messages.map(({ signature }, index) => signature === signatures[index])
}

function signWithPython(messages: readonly SignedMessage[]): string[] {
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
  const printed = execFileSync('python3', ['-c', python], { input, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return printed.trim().split('\n')
}

function signWithOpenssl({ secret, id, timestamp, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64').toString('hex')
  const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary']
  return `v1,${execFileSync('openssl', args, { input: `${id}.${timestamp}.${body}` }).toString('base64')}`
}
