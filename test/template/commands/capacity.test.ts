import { expect } from 'chai'
import { costsByItem, parseMix, scaleToMix } from '../../../scripts/template/bench/capacity/items.ts'
import { capacityFor, type Demand, highestRate, type ItemCost } from '../../../scripts/template/bench/capacity/model.ts'

const read: ItemCost = { name: 'one album', reads: true, cpu: 0.2, databaseCpu: 0.1, statements: 1 }
const write: ItemCost = { name: 'create track', reads: false, cpu: 0.5, databaseCpu: 0.4, statements: 1 }

const demand: Demand = {
  rate: 1000,
  mix: [
    { item: read, share: 0.9 },
    { item: write, share: 0.1 },
  ],
  utilization: 0.5,
  databaseCpus: 4,
  roundTrip: 0.3,
  processMemory: 200,
}

describe('The capacity model', () => {
  it('computes processes and memory from the CPU of the mix', () => {
    const { serviceCpus, processes, memory } = capacityFor(demand)
    expect(serviceCpus).to.be.closeTo(0.23, 1e-9)
    expect({ processes, memory }).to.deep.equal({ processes: 1, memory: 200 })
    expect(capacityFor({ ...demand, rate: 10_000 }).processes).to.equal(5)
  })

  it('needs no replicas if the primary can do all reads', () => {
    const { replicas, primaryCpus } = capacityFor(demand)
    expect(replicas).to.equal(0)
    expect(primaryCpus).to.be.closeTo(0.13, 1e-9)
  })

  it('moves reads to replicas, which replay the writes, when the primary cannot do all', () => {
    // 0.9 CPUs of reads and 0.4 of writes per 10,000 requests; a server has 2 usable CPUs.
    const { replicas, primaryCpus, exceedsPrimary } = capacityFor({ ...demand, rate: 20_000 })
    expect(replicas).to.equal(2)
    expect(primaryCpus).to.be.closeTo(0.8, 1e-9)
    expect(exceedsPrimary).to.equal(false)
    expect(capacityFor({ ...demand, rate: 60_000 }).exceedsPrimary).to.equal(true)
  })

  it('computes connections by the time that each request holds one', () => {
    const { busyConnections, poolSize, poolerSize } = capacityFor({ ...demand, rate: 20_000 })
    expect(busyConnections).to.be.closeTo(8.6, 1e-9)
    expect({ poolSize, poolerSize }).to.deep.equal({ poolSize: 4, poolerSize: 18 })
  })

  it('limits the rate of a machine by its processes and by all its CPUs', () => {
    const mix = [{ item: read, share: 1 }]
    expect(highestRate(mix, { cpus: 8, processes: 1, otherCpu: 0.1 })).to.equal(5000)
    expect(highestRate(mix, { cpus: 2, processes: 2, otherCpu: 0.1 })).to.be.closeTo(5000, 1e-9)
  })

  it('reads the items of the benchmark, and a mix of them', () => {
    const run = { perSecond: 1, p50: 1, p99: 1, cpu: 0.2, databaseCpu: 0.1, bytes: 1, failed: 0 }
    const measurement = { item: 'one album', goal: 1, reads: true, connections: 8, names: ['ours'], statements: [1] }
    const items = costsByItem([
      { ...measurement, runs: [[run, { ...run, cpu: 9 }, run]] },
      { ...measurement, connections: 32, runs: [[{ ...run, cpu: 5 }]] },
    ])
    expect(items).to.deep.equal([read])
    expect(parseMix('one album=3, create track=1', [read, write]).map(({ share }) => share)).to.deep.equal([0.75, 0.25])
    expect(parseMix(undefined, [read, write]).map(({ share }) => share)).to.deep.equal([0.5, 0.5])
    expect(() => parseMix('nothing=1', [read])).to.throw("There is no item 'nothing'. There are: one album")
  })

  it('multiplies the costs of items so that their mean is the cost of the mixed load', () => {
    const scaled = scaleToMix([read, write], { cpu: 0.7, databaseCpu: 0.25 })
    expect(scaled.map(({ cpu }) => cpu)).to.deep.equal([0.4, 1])
    expect(scaled.map(({ databaseCpu }) => databaseCpu)).to.deep.equal([0.1, 0.4])
  })

  it('takes the mixed load of the benchmark as the cost of the mix, not as an item', () => {
    const run = { perSecond: 1, p50: 1, p99: 1, cpu: 0.2, databaseCpu: 0.1, bytes: 1, failed: 0 }
    const measurement = { goal: 1, reads: true, connections: 8, names: ['ours'], statements: [1] }
    const items = costsByItem([
      { ...measurement, item: 'one album', runs: [[run]] },
      { ...measurement, item: 'mixed', runs: [[{ ...run, cpu: 0.4 }]] },
    ])
    expect(items).to.deep.equal([{ ...read, cpu: 0.4 }])
  })
})
