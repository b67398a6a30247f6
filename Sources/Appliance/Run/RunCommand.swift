internal import Library

/// `jukebox run`: the appliance, until a signal or a command ends it.
func runAppliance(_ options: RunOptions) throws -> Ending {
  let folder = try options.state ?? LibraryPlace.standard().parent
  let absolute = try folder.absolute()
  // A folder that can't be made is told with the first state that can't be written.
  try? absolute.makeFolders()
  let appliance = try Appliance(options, state: absolute)
  // All is faded and saved when it ends; what may hang in a read is not waited for, but left to exit(3).
  _ = unsafe Unmanaged.passRetained(appliance)
  return appliance.run()
}
