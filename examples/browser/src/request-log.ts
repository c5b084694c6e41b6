import { create, find } from './elements.ts'

/** Calls `fetch` and lists each attempt on the page: method, path, idempotency key, and the status. */
export const loggedFetch: typeof fetch = async (input, init = {}) => {
  const { method = 'GET' } = init
  const headers = new Headers(init.headers)
  const key = headers.get('idempotency-key')
  const condition = headers.get('if-match')
  const url = decodeURIComponent(String(input)).replace('/api', '')
  const sent = [`${method} ${url}`, key && `key ${key.slice(0, 8)}`, condition && `if-match ${condition.slice(0, 8)}…`]
  const line = create('li', {}, sent.filter(Boolean).join(', '))
  find('#request-log', HTMLElement).prepend(line)
  try {
    const response = await fetch(input, init)
    if (method !== 'GET' && takeLoss()) throw new TypeError('The response was lost on purpose.')
    const isReplayed = response.headers.get('idempotency-replayed') === 'true'
    line.append(` → ${response.status}${isReplayed ? ', stored response' : ''}`)
    return response
  } catch (error) {
    line.append(init.signal?.aborted ? ' → aborted' : ' → no response')
    throw error
  }
}

/** Whether the checkbox of the page is set; clears it. */
function takeLoss(): boolean {
  const checkbox = find('#lose-response', HTMLInputElement)
  const { checked } = checkbox
  checkbox.checked = false
  return checked
}
