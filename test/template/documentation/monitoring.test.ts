import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { parse } from 'yaml'
import { plugins } from '#app/plugins.ts'
import type { Database } from '#store'
import { root, startApp, type TestApp } from '#test/support/app.ts'
import { testDatabase } from '#test/support/database.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { type Expression, readExpression, readSamples } from '#test/template/support/promql.ts'
import { freePort } from '../../../scripts/support/free-port.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const page = read('docs/monitoring.md')
const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-'),
)

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}

const alerts: { groups: { name: string; rules: Rule[] }[] } = parse(read('deploy/prometheus/alerts.yml'))
const rules = alerts.groups.flatMap((group) => group.rules)

interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets: readonly { readonly expr?: string; readonly query?: string; readonly legendFormat?: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
}

const boards = readdirSync(join(root, 'deploy/grafana')).map((file) => ({
  file,
  text: read(`deploy/grafana/${file}`),
  board: JSON.parse(read(`deploy/grafana/${file}`)) as Dashboard,
}))

/** Labels that Prometheus adds to every sample. */
const scrapeLabels = ['job', 'instance']

/** Metrics of Prometheus and of node_exporter, with their labels. docs/monitoring.md names them. */
const otherMetrics = new Map([
  ['up', []],
  ['node_filesystem_avail_bytes', ['fstype', 'mountpoint', 'device']],
  ['node_filesystem_size_bytes', ['fstype', 'mountpoint', 'device']],
])

describe('Metrics, dashboards and alert rules', () => {
  let app: TestApp | undefined
  let samples: ReadonlyMap<string, ReadonlySet<string>>
  before(async function () {
    const names = plugins.map(({ name }) => name)
    if (!names.includes('metrics') || !names.includes('rate-limit')) return this.skip()
    const port = await freePort()
    app = await startApp({
      config: configFrom({ METRICS_PORT: String(port), RATE_LIMIT: '1' }),
      database: { ...(await testDatabase()), pool: () => ({ total: 2, idle: 1, waiting: 0 }), replicas },
      undescribed: ['default', 'admin'],
    })
    app.app.store.queue.assign(new Map([['example', async () => {}]]))
    await app.app.start()
    await app.app.store.queue.start()
    for (const status of [404, 429]) expect((await app.client.get('/nowhere')).status).to.equal(status)
    await collectGarbage()
    samples = readSamples(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  })
  after(() => app?.close())

  /** Returns the metrics and labels of an expression that no process exports. */
  const unknownIn = ({ metrics, labels, grouping }: Expression): string[] => {
    const labelsOf = (name: string) => [...scrapeLabels, ...(samples.get(name) ?? otherMetrics.get(name) ?? [])]
    return [
      ...metrics.filter((name) => !samples.has(name) && !otherMetrics.has(name)),
      ...labels
        .filter(({ metric, label }) => !labelsOf(metric).includes(label))
        .map(({ metric, label }) => `${metric}.${label}`),
      ...grouping.filter((label) => !metrics.some((name) => labelsOf(name).includes(label))),
    ]
  }

  it('has rules that pass promtool, if it is installed', function () {
    const { error, status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'rules', 'deploy/prometheus/alerts.yml'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
    if (error) return this.skip()
    expect(status, stdout + stderr).to.equal(0)
  })

  it('reads expressions: finds metrics, labels and grouping', () => {
    const read = readExpression('sum by (by, le) (rate(a_total{x=~"b{2}", y!="c"}[5m])) / on (job) (b > 1.5e9) and $v')
    expect(read).to.deep.equal({
      metrics: ['a_total', 'b'],
      labels: [
        { metric: 'a_total', label: 'x' },
        { metric: 'a_total', label: 'y' },
      ],
      grouping: ['by', 'le', 'job'],
    })
    expect(unknownIn(read)).to.include.members(['a_total', 'a_total.x', 'b', 'by'])
  })

  for (const { alert, expr, labels, annotations } of rules) {
    it(`alert ${alert}: names only metrics and labels that exist, and a section of docs/monitoring.md`, () => {
      const expression = readExpression(expr)
      expect(expression.metrics).not.to.deep.equal([])
      expect(unknownIn(expression)).to.deep.equal([])
      expect(['critical', 'warning']).to.include(labels.severity)
      expect(annotations).to.have.all.keys('summary', 'description', 'runbook')
      expect(annotations.description).to.match(/\.$/)
      const [file, anchor] = annotations.runbook.split('#')
      expect(file).to.equal('docs/monitoring.md')
      expect(anchors).to.include(anchor)
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
      const isGrouped = /\b(?:sum|max|min|avg|count|histogram_quantile)\b/.test(expr)
      expect(unknownIn({ ...expression, grouping: isGrouped ? [] : shown })).to.deep.equal([])
      if (isGrouped) expect(expression.grouping).to.include.members(shown)
    })
  }

  it('has an alert for every section of the alerts in docs/monitoring.md, and metrics of other programs named there', () => {
    const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, title]) => title)
    expect(rules.map(({ alert }) => alert)).to.have.members(sections)
    for (const name of otherMetrics.keys()) expect(page).to.include(`\`${name}\``)
  })

  it('lists every metric that the application adds in docs/monitoring.md', () => {
    const own = [...samples.keys()].filter((name) => !/^(?:process|nodejs)_|_(?:bucket|sum|count)$/.test(name))
    for (const name of [...own, 'http_request_duration_seconds']) expect(page).to.include(`\`${name}\``)
  })

  for (const { file, text, board } of boards) {
    it(`dashboard ${file}: names only metrics, labels and variables that exist`, () => {
      const variables = board.templating.list.map(({ name }) => name)
      const used = [...text.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name)
      expect([...variables, '__rate_interval', '__all']).to.include.members(used)
      for (const { title, targets } of board.panels) {
        for (const { expr, query, legendFormat = '' } of targets) {
          expect(expr ?? query, title).to.be.a('string')
          if (expr === undefined) continue
          const expression = readExpression(expr)
          expect(expression.metrics, title).not.to.deep.equal([])
          const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
          expect(unknownIn({ ...expression, grouping: [...expression.grouping, ...shown] }), title).to.deep.equal([])
        }
      }
      for (const { name, query } of board.templating.list) {
        const [, expr = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? []
        if (expr) expect(unknownIn({ ...readExpression(expr), grouping: [label] }), name).to.deep.equal([])
      }
    })

    it(`dashboard ${file}: has panels with a title and a description that do not overlap`, () => {
      const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
      )
      expect(new Set(cells).size).to.equal(cells.length)
      expect(new Set(board.panels.map(({ id }) => id)).size).to.equal(board.panels.length)
      for (const { title, description } of board.panels) expect(title && description, title).to.be.a('string')
    })
  }

  it('has a scrape configuration with the rules and the job of the alerts', () => {
    const { rule_files, scrape_configs } = parse(read('deploy/prometheus/prometheus.yml'))
    expect(rule_files).to.deep.equal(['alerts.yml'])
    const jobs = scrape_configs.map(({ job_name }: { job_name: string }) => job_name)
    const named = rules.flatMap(({ expr }) => /job="(\w+)"/.exec(expr)?.[1] ?? [])
    expect(jobs).to.include.members(named)
  })
})

/** Replicas that are measured and serve no reads of this test. */
const replicas: NonNullable<Database['replicas']> = {
  sourceFor: () => {
    throw new Error('This test reads no rows.')
  },
  positionStatement: '',
  recordWrite: async () => {},
  states: () => [{ name: 'standby:5432', state: 'lagging', lag: 4 }],
  close: async () => {},
}

/** Resolves after the observers of garbage collections were called. */
async function collectGarbage(): Promise<void> {
  const observed = new Promise<void>((done) => {
    const observer = new PerformanceObserver(() => {
      observer.disconnect()
      done()
    })
    observer.observe({ entryTypes: ['gc'] })
  })
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  await observed
}
