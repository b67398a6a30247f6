/// What can be played: the media that are plugged in, less the items found broken.
public struct Media: Equatable {
  public enum Event: Equatable, Sendable {
    case added(MediumID)
    case removed(MediumID)
    /// The item failed to play; it is passed over for the rest of the round.
    case broke(ItemID)
    case mended(ItemID)
    case roundBegan
  }

  private(set) var present: Set<MediumID> = [.builtIn]
  private var broken: Set<ItemID> = []
  /// Counts the media added: what was opened before may be of a medium that was out since.
  private(set) var additions: UInt32 = 0

  /// - Returns: whether this was news.
  @discardableResult
  mutating func handle(_ event: Event) -> Bool {
    switch event {
    case .added(let medium):
      broken = []
      additions &+= 1
      return present.insert(medium).inserted
    case .removed(let medium): return medium != .builtIn && present.remove(medium) != nil
    case .broke(let item): return broken.insert(item).inserted
    case .mended(let item): return broken.remove(item) != nil
    case .roundBegan:
      let wasEmpty = broken.isEmpty
      broken = []
      return !wasEmpty
    }
  }

  func has(_ medium: MediumID) -> Bool { present.contains(medium) }

  func has(_ item: Item) -> Bool {
    present.contains(item.track.medium) && (broken.isEmpty || !broken.contains(item.id))
  }
}
