import { Writable } from 'node:stream'
import { expect } from 'chai'
import { createLogger } from '#app/process/logger.ts'

describe('Log entries with LOG_FORMAT=text', () => {
  const linesOf = (log: (logger: ReturnType<typeof createLogger>) => void): string[] => {
    let text = ''
    const stream = new Writable({
      write(chunk, _, done) {
        text += chunk
        done()
      },
    })
    log(createLogger({ logLevel: 'info', logFormat: 'text' }, stream))
    return text.trimEnd().split('\n')
  }

  it('are one line per request: time, level, method, path, status and duration', () => {
    const details = { requestId: 'a', method: 'GET', path: '/books', route: 'r', status: 200, milliseconds: 3.1 }
    const [line, ...others] = linesOf((logger) => logger.info(details, 'Request'))
    expect(line).to.match(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}Request GET \/books 200 3\.1 ms$/)
    expect(others).to.deep.equal([])
  })

  it('name the details of other entries, with texts of several words in quotes', () => {
    const [line] = linesOf((logger) => logger.warn({ worker: 7, pause: 100, cause: 'two words' }, 'Worker exited'))
    expect(line).to.match(/ WARN {2}Worker exited worker=7 pause=100 cause='two words'$/)
  })

  it('are followed by the stack of an error', () => {
    const [line, first, second] = linesOf((logger) => logger.error({ err: new Error('Broken') }, 'Failed'))
    expect(line).to.match(/ ERROR Failed$/)
    expect(first).to.equal('    Error: Broken')
    expect(second).to.match(/^ {4} {4}at /)
  })
})
