import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import '#test/support/catalogue.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { copyProject, projectParts } from '#test/template/support/project-copy.ts'
import { unset } from '../../../../scripts/support/unset.ts'

// Runs every command of docs/getting-started.md in a copy of the project, in the order of the text. npm install is not
// run: the copy uses the installed packages.

const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```(?:\n```json\n([\s\S]*?)```)?/g)]

describeIf(!hasServer)('docs/getting-started.md', function () {
  this.timeout(300_000)
  let copy: string
  let service: RunningService | undefined
  before(function () {
    if (['people', 'articles'].some((type) => existsSync(join(root, 'resources', type)))) this.skip()
    copy = copyProject(projectParts())
  })
  after(async () => {
    await service?.stop()
    if (copy) rmSync(copy, { recursive: true })
  })

  for (const [, commands = '', response] of blocks) {
    const lines = commands.trim().split(/(?<!\\)\n(?=npm |npx |curl )/)
    it(`runs ${lines.join(' && ')}, skipped if the project has these types`, async () => {
      let printed = ''
      for (const line of lines) {
        if (line === 'npm install') continue
        if (line === 'npm start') {
          await service?.stop()
          service = await start(copy)
        } else printed = await runLine(copy, line, service?.url)
      }
      if (response) expect(JSON.parse(printed), printed).to.containSubset(JSON.parse(response))
    })
  }
})

interface RunningService {
  readonly url: string
  stop(): Promise<void>
}

/** Runs `npm start` of the copy on a free port. */
async function start(copy: string): Promise<RunningService> {
  const env = { PATH: process.env.PATH, ...unset(), PORT: '0' }
  const child = spawn('npm', ['start', '--silent'], { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await listeningUrl(child)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const [, url] = /Listening on (\S+)\. Try:/.exec(text) ?? []
      if (url) resolve(url)
    })
    child.once('close', (code) => reject(new Error(`npm start ended with ${code}: ${text}`)))
  })
}

/** Runs a command by the shell. The address of the guide is replaced by that of the service. */
async function runLine(copy: string, line: string, url = ''): Promise<string> {
  const command = line.replaceAll('http://127.0.0.1:3000', url).replace(/^curl /, 'curl --silent --show-error ')
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, ...unset() }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: copy, env, maxBuffer: 2 ** 26 })
  return stdout
}
