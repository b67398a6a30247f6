internal import Testing

@testable internal import Jukebox

struct ContactTests {
  @Test func `a press counts at its first edge`() {
    var contact = Contact()
    #expect(contact.handle(.edge(closed: true), at: ms(0)) == .pressed)
    #expect(contact.isPressed)
  }

  @Test func `bounce of a press changes nothing`() {
    var contact = Contact()
    #expect(contact.handle(.edge(closed: true), at: ms(0)) == .pressed)
    #expect(contact.handle(.edge(closed: false), at: ms(1)) == .none)
    #expect(contact.handle(.edge(closed: true), at: ms(2)) == .none)
    #expect(contact.handle(.timerFired, at: ms(40)) == .none)
    #expect(contact.isPressed)
  }

  @Test func `a release counts after its stable time`() {
    var contact = Contact()
    #expect(contact.handle(.edge(closed: true), at: ms(0)) == .pressed)
    #expect(contact.deadline == nil)
    #expect(contact.handle(.edge(closed: false), at: ms(100)) == .none)
    #expect(contact.deadline == ms(110))
    #expect(contact.handle(.edge(closed: true), at: ms(103)) == .none)
    #expect(contact.deadline == nil)
    #expect(contact.handle(.edge(closed: false), at: ms(106)) == .none)
    #expect(contact.deadline == ms(116))
    #expect(contact.handle(.timerFired, at: ms(115)) == .none)
    #expect(contact.handle(.timerFired, at: ms(116)) == .released)
    #expect(!contact.isPressed)
  }

  @Test func `a release counts no sooner than the dead time allows`() {
    var contact = Contact()
    #expect(contact.handle(.edge(closed: true), at: ms(0)) == .pressed)
    #expect(contact.handle(.edge(closed: false), at: ms(1)) == .none)
    #expect(contact.deadline == ms(25))
    #expect(contact.handle(.timerFired, at: ms(24)) == .none)
    #expect(contact.handle(.timerFired, at: ms(25)) == .released)
  }

  @Test func `an edge that says what is known changes nothing`() {
    var contact = Contact()
    #expect(contact.handle(.edge(closed: false), at: ms(0)) == .none)
    #expect(contact.handle(.timerFired, at: ms(0)) == .none)
    #expect(contact.handle(.edge(closed: true), at: ms(1)) == .pressed)
    #expect(contact.handle(.edge(closed: true), at: ms(900)) == .none)
    #expect(contact.handle(.edge(closed: false), at: ms(1_000)) == .none)
    #expect(contact.handle(.edge(closed: false), at: ms(1_005)) == .none)
    #expect(contact.deadline == ms(1_010))
  }

  @Test func `a toggle counts at its first edge and is asked again after the dead time`() {
    var toggle = Toggle()
    #expect(toggle.handle(.edge(closed: true), at: ms(0)) == true)
    #expect(toggle.handle(.edge(closed: false), at: ms(2)) == nil)
    #expect(toggle.handle(.timerFired, at: ms(24)) == nil)
    #expect(toggle.handle(.timerFired, at: ms(25)) == false)
    #expect(toggle.deadline == ms(50))
    #expect(toggle.handle(.timerFired, at: ms(50)) == nil)
    #expect(toggle.deadline == nil)
    #expect(toggle.handle(.edge(closed: false), at: ms(60)) == nil)
    #expect(toggle.handle(.edge(closed: true), at: ms(61)) == true)
  }
}
