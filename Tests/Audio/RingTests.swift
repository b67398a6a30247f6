import Glibc
import Testing

@testable import Audio

struct RingTests {
  @Test func `elements come out in order, wrap after wrap`() {
    let ring = Ring<Int>(capacity: 8)
    var next = 0
    var expected = 0
    for round in 0..<100 {
      for _ in 0..<1 + round % 8 {
        #expect(ring.push(next) == true)
        next += 1
      }
      while let element = ring.pop() {
        #expect(element == expected)
        expected += 1
      }
    }
    #expect(expected == next)
  }

  @Test func `a full ring refuses, an empty one gives nothing`() {
    let ring = Ring<Int>(capacity: 4)
    #expect(ring.pop() == nil)
    for element in 0..<4 { #expect(ring.push(element) == true) }
    #expect(ring.space == 0)
    #expect(ring.spaceForConsumer == 0)
    #expect(ring.push(4) == false)
    #expect(ring.room(limit: 4).isEmpty)
    #expect(ring.pop() == 0)
    #expect(ring.push(4) == true)
    #expect([ring.pop(), ring.pop(), ring.pop(), ring.pop()] == [1, 2, 3, 4])
    #expect(ring.pop() == nil)
  }

  @Test func `indices pass the largest integer`() {
    let ring = Ring<Int>(capacity: 8, start: 0 &- 5)
    for element in 0..<8 { #expect(ring.push(element) == true) }
    #expect(ring.head == 3)
    #expect(ring.space == 0)
    #expect(ring.available(from: ring.tail) == 8)
    for element in 0..<8 { #expect(ring.element(at: UInt(bitPattern: element - 5)) == element) }
    ring.release(before: 1)
    #expect(ring.space == 6)
    #expect(ring.pop() == 6)
    #expect(ring.pop() == 7)
    #expect(ring.pop() == nil)
  }

  @Test func `room and run stop at the end of the memory`() {
    let ring = Ring<Int>(capacity: 8)
    for element in 0..<6 { #expect(ring.push(element) == true) }
    ring.release(before: 4)
    let room = ring.room(limit: 100)
    #expect(room.count == 2)
    room[0] = 6
    room[1] = 7
    ring.advance(by: 2)
    let second = ring.room(limit: 3)
    #expect(second.count == 3)
    second[0] = 8
    ring.advance(by: 1)
    #expect(Array(ring.run(at: 4, limit: 100)) == [4, 5, 6, 7])
    #expect(Array(ring.run(at: 8, limit: 1)) == [8])
  }

  @Test func `what is not released can be read again`() {
    let ring = Ring<Int>(capacity: 4)
    for element in 0..<4 { #expect(ring.push(element) == true) }
    #expect((0..<4).map { ring.element(at: $0) } == [0, 1, 2, 3])
    #expect((1..<3).map { ring.element(at: $0) } == [1, 2])
    ring.release(before: 2)
    #expect(ring.tail == 2)
    #expect(ring.space == 2)
  }

  @Test func `advancing past the space is a fault`() async {
    await #expect(processExitsWith: .failure) {
      let ring = Ring<Int>(capacity: 4)
      ring.advance(by: 5)
    }
  }

  @Test func `two threads hand over a million elements`() throws {
    final class Shared: Sendable {
      let ring = Ring<UInt64>(capacity: 64, start: 0 &- 500_000)
    }
    let shared = Shared()
    let count: UInt64 = 1_000_000
    let producer = try Companion {
      var next: UInt64 = 0
      while next < count {
        let room = shared.ring.room(limit: 7)
        if room.isEmpty {
          sched_yield()
          continue
        }
        for index in room.indices { room[index] = next + UInt64(index) }
        let filled = min(room.count, Int(count - next))
        shared.ring.advance(by: filled)
        next += UInt64(filled)
      }
    }
    var expected: UInt64 = 0
    while expected < count {
      guard let element = shared.ring.pop() else {
        sched_yield()
        continue
      }
      if element != expected { break }
      expected += 1
    }
    #expect(expected == count)
    producer.join()
  }

  @Test func `a meter is never torn`() throws {
    final class Shared: Sendable {
      let meter = Meter()
      let done = Ring<Bool>(capacity: 1)
    }
    let shared = Shared()
    let writer = try Companion {
      for value in 0..<Int64(200_000) {
        shared.meter.set(clock: value, time: value * 3, limit: value * 7, marks: value * 11)
      }
      _ = shared.done.push(true)
    }
    var last: Int64 = 0
    var torn = 0
    while shared.done.pop() == nil {
      let reading = shared.meter.reading
      if reading.time != reading.clock * 3 || reading.limit != reading.clock * 7
        || reading.marks != reading.clock * 11 || reading.clock < last
      {
        torn += 1
      }
      last = reading.clock
    }
    writer.join()
    #expect(torn == 0)
    #expect(shared.meter.reading.clock == 199_999)
  }
}

/// A second thread in a test.
final class Companion {
  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) throws {
    let job = Unmanaged.passRetained(Job(body)).toOpaque()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, job)
    try #require(error == 0)
  }

  func join() { pthread_join(thread, nil) }
}
