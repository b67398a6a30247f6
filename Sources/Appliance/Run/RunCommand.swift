internal import Library

/// `jukebox run`: the appliance, until a signal or a command ends it.
func runAppliance(_ options: RunOptions) throws -> Ending {
  let folder = try options.state ?? LibraryPlace.standard().parent
  let absolute = try folder.absolute()
  // A folder that can't be made is told with the first state that can't be written.
  try? absolute.makeFolders()
  return try Appliance(options, state: absolute).run()
}
